# SPDX-License-Identifier: MIT
"""`mpipp status`: the state of all ranks, with one line for each group of equal ranks."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command


class Status(Command):
    """Show the states of all processes in this gdb: one line for ranks in the same state.

    mpipp status

    A state is an MPI call with its peers and its place, or the place outside MPI. If the call
    history has the time, the line ends with the time in that send or receive.

    "layout mpipp" shows these lines in a window of gdb's terminal interface. "mpipp status STATUS"
    shows an MPI_Status.
    """

    name = "mpipp status"

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument:  # an expression that begins with "status", or a status
            blank = "" if argument.startswith(("[", ".", "-")) else " "
            return print_.show(f"status{blank}{argument}")
        from mpipp.gdb.all_ranks import status_text  # takes some time to load

        return status_text.lines()
