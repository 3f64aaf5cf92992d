# SPDX-License-Identifier: MIT
"""`mpipp check`: every check on everything that is recorded, of all inferiors."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.common.errors import MpippError
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands


class Check(Command):
    """Check everything that is recorded of all inferiors: what is wrong, why, what to do.

    mpipp check [LIST] [--leaks] [--json]

    LIST: only these checks, "messages,leaks", by the names of docs/checks.md.

    Looks at all active calls and pending requests: arguments, datatypes, buffers that overlap or
    lie in memory that is not there, MPI_IN_PLACE; between the inferiors at sends and receives that
    meet, and at collective calls. At the end of MPI_Finalize (mpipp break MPI_Finalize), or with
    --leaks, also at what was never freed.

    A process that stops elsewhere may show more: a check sees what is recorded now.
    """

    name = "mpipp check"

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return print_.show(f"check{argument}")
        options, rest = operands.options(argument, ("--leaks", "--json"))
        if len(rest.split()) > 1:
            raise MpippError(
                'mpipp check takes one list of checks, "messages,leaks", --leaks and --json: '
                f'"{rest}"'
            )
        from mpipp.gdb.analysis import check_text  # the checks take some time to load

        return check_text.lines(rest, "--leaks" in options, "--json" in options)
