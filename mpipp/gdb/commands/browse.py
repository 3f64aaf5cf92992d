# SPDX-License-Identifier: MIT
"""`mpipp browse`: a tree of a datatype and its buffer, in a window or another terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import gdb

from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands

_TERMINAL = "--terminal"


class Browse(Command):
    """Browse a datatype and its buffer as a tree, whose parts are read when they are opened.

    mpipp browse TYPE [ADDR [COUNT]]   a datatype, and COUNT entries of it at ADDR
    mpipp browse                       the process: its MPI calls with their buffers, its objects

    It opens a window; without a display it says what to type in another terminal. --terminal, in
    front, asks for the latter. The tree follows the program's stops, and what is browsed later is
    added to it.
    """

    name = "mpipp browse"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return print_.show(f"browse{argument}")
        options, rest = operands.options(argument, (_TERMINAL,))
        # Sockets and processes take some time to load.
        from mpipp.gdb.browser_server import open_client

        return open_client.browse(rest, _TERMINAL in options)


def close() -> None:
    """Stop serving browsers."""
    opening = sys.modules.get("mpipp.gdb.browser_server.open_client")
    if opening is not None:
        opening.close()
