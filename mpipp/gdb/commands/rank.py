# SPDX-License-Identifier: MIT
"""`mpipp rank`: to the process that has a rank."""

from __future__ import annotations

import re
from collections.abc import Iterable

import gdb

from mpipp.errors import MpippError
from mpipp.gdb import console, sessions, text
from mpipp.gdb.commands import show
from mpipp.gdb.commands.base import Command
from mpipp.gdb.commands.frame import show_frame
from mpipp.gdb.commands.info import process
from mpipp.gdb.printing import buffers
from mpipp.gdb.program import callers
from mpipp.gdb.ranks import inferiors, rank


class Rank(Command):
    """Select the process of a rank in MPI_COMM_WORLD, and there the frame that called MPI.

    mpipp rank N

    Of the process, the first thread that is in an MPI call is selected, or its first thread.
    """

    name = "mpipp rank"

    def lines(self, argument: str) -> Iterable[str]:
        """The process; gdb shows the frame."""
        if argument.startswith("[") or re.match(r"at\b|packed\b", argument):  # a variable
            return show.show(f"rank {argument}")
        if not argument.isdigit():
            raise MpippError("write mpipp rank N, with a rank in MPI_COMM_WORLD")
        inferior = _of_rank(int(argument))
        with_call = _select(inferior)
        info = sessions.required().registry.info
        text.write([f"inferior {inferior.num}, {process(info)}"])
        show_frame(with_call or gdb.selected_frame())
        return ()


def _of_rank(number: int) -> gdb.Inferior:
    every = inferiors()
    if not every:
        sessions.required()  # says what to do
    found = [inferior for inferior in every if rank(inferior) == number]
    if not found:
        raise MpippError(f'there is no process of rank {number} in this gdb: see "mpipp attach"')
    if len(found) > 1:
        names = " and ".join(str(inferior.num) for inferior in found)
        raise MpippError(f'inferiors {names} have rank {number}: choose one with "inferior N"')
    return found[0]


def _select(inferior: gdb.Inferior) -> gdb.Frame | None:
    # By gdb's own command, of which front ends are told; the frame that called MPI, if one did.
    with text.quiet():
        console.output("inferior {}", inferior.num)
    threads = sorted(inferior.threads(), key=lambda thread: thread.num)
    for thread in threads:
        thread.switch()
        call = buffers.active_call(sessions.required())
        if call is not None:
            return callers.user(call.site)
    if threads:
        threads[0].switch()
    return None
