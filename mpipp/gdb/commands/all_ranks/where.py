# SPDX-License-Identifier: MIT
"""`mpipp where`: the stacks of all ranks as one tree."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands

_USAGE = "mpipp where, with one of --svg FILE and --json"


class Where(Command):
    """Show the stacks of all processes in this gdb as one tree.

    mpipp where [--svg FILE | --json]

    --svg FILE  write the tree as SVG
    --json      print one JSON object (docs/reference/json.md)

    Equal callers share one line, which shows the number of ranks and their list. A stack ends at
    the MPI call, with its peers. Below a wait call are the calls that started its pending requests.
    Library frames without source lines share one line. For Python programs mpipp shows the lines
    of Python.

    mpipp shows the threads that have called MPI, and the first thread of each process.
    """

    name = "mpipp where"

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"where{argument}")
        file, options = operands.file_and_options(argument, ("--json",), _USAGE)
        from mpipp.gdb.all_ranks import where_text  # takes some time to load

        return where_text.lines(file, options)
