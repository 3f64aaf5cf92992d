# SPDX-License-Identifier: MIT
"""`mpipp compare`: a datatype against the program's own type, from its debug information."""

from __future__ import annotations

from collections.abc import Iterable

import gdb

from mpipp.gdb.commands import print_
from mpipp.gdb.commands.base import Command
from mpipp.gdb.parser import operands


class Compare(Command):
    """Compare a datatype with the program's own type: is each element a member of its kind?

    mpipp compare TYPE [COUNT] with EXPR     a variable, *p, a[0], or a type: struct particle,
                                             particle, type(particle)
    mpipp compare                            every buffer of the MPI call that the thread is in,
                                             or of the operations that it waits for, else of all
                                             that are pending, with the variable that it is

    --elements        list each element with its member though nothing is wrong
    --json            one line for machines, see docs/json.md

    Says of elements that they lie in no member, across two, or on one of another kind or size; of
    members that no element covers them; and of the extent if it is not the struct's size. A
    pointer stands for what it points to. Needs debug information (-g).
    """

    name = "mpipp compare"
    completes = gdb.COMPLETE_EXPRESSION

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return print_.show(f"compare{argument}")
        options, rest = operands.options(argument, ("--elements", "--json"))
        from mpipp.gdb.analysis import compare_text  # takes some time to load

        return compare_text.lines(rest, "--elements" in options, "--json" in options)
