# SPDX-License-Identifier: MIT
"""`mpipp compare`: a datatype against the program's own type, from its debug information."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands


class Compare(Command):
    """Compare a datatype with the program's own type: does each element fit a member?

    mpipp compare TYPE [COUNT] with EXPR     a variable, *p, a[0], or a type: struct particle,
                                             particle, type(particle)
    mpipp compare                            every buffer of the MPI call that the thread is in,
                                             with its variable; in a wait call, the buffers of its
                                             requests; else the buffers of all pending requests

    --elements        list each element with its member, also if all fit
    --json            print one line of JSON (docs/reference/json.md)

    The report names elements that lie in no member, across two members, or on a member of another
    type or size. It names members that no element covers, and an extent that is not the struct's
    size. A pointer stands for the object that it points to. Needs debug information (-g).
    """

    name = "mpipp compare"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """Yield the lines of output."""
        if argument.startswith("["):  # the user means a variable of this name
            return print_.show(f"compare{argument}")
        options, rest = operands.options(argument, ("--elements", "--json"))
        from mpipp.gdb.analysis import compare_text  # takes some time to load

        return compare_text.lines(rest, "--elements" in options, "--json" in options)
