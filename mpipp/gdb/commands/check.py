# SPDX-License-Identifier: MIT
"""`mpipp check`: all checks, on the records of all inferiors."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.common.errors import MpippError
from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands


class Check(Command):
    """Check the recorded calls, requests and objects of all inferiors for MPI errors.

    mpipp check [LIST] [--leaks] [--json]

    LIST      run only these checks, by their names in docs/reference/checks: messages,leaks
    --leaks   also report objects that are not freed
    --json    print JSON (docs/reference/json.md)

    In each process this checks active calls and pending requests: arguments, datatypes,
    MPI_IN_PLACE, and buffers that overlap or lie in unmapped memory. Between the inferiors it
    checks sends with their receives, and collective calls. At the end of MPI_Finalize (mpipp break
    MPI_Finalize) it also reports objects that are not freed.

    mpipp check sees the records at this stop only: at another stop it may find more.
    """

    name = "mpipp check"

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"check{argument}")
        options, rest = operands.options(argument, ("--leaks", "--json"))
        if len(rest.split()) > 1:
            raise MpippError(f'cannot read "{rest}": write mpipp check [LIST] [--leaks] [--json]')
        from mpipp.gdb.analysis import check_text  # the checks take some time to load

        return check_text.lines(rest, "--leaks" in options, "--json" in options)
