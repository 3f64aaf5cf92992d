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
    """Browse a datatype and its buffer as a tree.

    mpipp browse TYPE [ADDR [COUNT]]   a datatype, and COUNT entries of it at ADDR
    mpipp browse                       the process: its MPI calls with their buffers, its objects

    --terminal   browse in a terminal instead of a window; must be the first word

    mpipp reads a part of the tree when you open it, and updates the tree when the program stops.
    Later browse commands add to the same tree. Without a display, mpipp prints the command to type
    in another terminal.
    """

    name = "mpipp browse"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"browse{argument}")
        options, rest = operands.options(argument, (_TERMINAL,))
        # Sockets and processes take some time to import.
        from mpipp.gdb.browser_server import open_client

        return open_client.browse(rest, _TERMINAL in options)


def close() -> None:
    """Stop serving browsers."""
    opening = sys.modules.get("mpipp.gdb.browser_server.open_client")
    if opening is not None:
        opening.close()
