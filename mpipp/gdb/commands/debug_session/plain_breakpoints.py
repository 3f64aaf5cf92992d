# SPDX-License-Identifier: MIT
"""`tbreak` and `watch` for all ranks. gdb's own commands would stop or watch only one rank."""

from __future__ import annotations

import re
from collections.abc import Iterable

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb import console, output
from mpipp.gdb.commands.base import Command
from mpipp.gdb.debug_session.breakpoints import OnceBreakpoint
from mpipp.gdb.debug_session.session import required

_CLASSES = {"watch": gdb.WP_WRITE, "rwatch": gdb.WP_READ, "awatch": gdb.WP_ACCESS}


def register() -> None:
    """Replace gdb's commands, in a gdb that debugs a job."""
    TBreak()
    for word in _CLASSES:
        Watch(word)


class TBreak(Command):
    """Set a breakpoint at which each rank stops once.

    tbreak [LOCATION] [if CONDITION]
    """

    name = "tbreak"
    completes = gdb.COMPLETE_LOCATION

    def lines(self, argument: str) -> Iterable[str]:
        """Set the breakpoint. gdb itself describes it."""
        OnceBreakpoint(argument or f"*{gdb.selected_frame().pc():#x}", required().group)
        return ()


class Watch(Command):
    """Stop each rank when the value of an expression changes, or is accessed.

    watch EXPRESSION

    "watch" stops when the value changes, "rwatch" at a read, "awatch" at both.

    -location and -l watch the memory that the expression is in now. mpipp sets one watchpoint in
    each rank that has stopped.
    """

    completes = gdb.COMPLETE_EXPRESSION

    def __init__(self, word: str) -> None:
        self.name = word
        super().__init__()

    def lines(self, argument: str) -> Iterable[str]:
        """The numbers of the watchpoints, and the reasons why some ranks have none."""
        group = required().group
        if not argument:
            raise MpippError(f"write {self.name} EXPRESSION")
        selected = group.rank(gdb.selected_inferior()) or 0
        numbers: dict[int, int] = {}
        problems: dict[str, list[int]] = {}
        stopped = group.stopped
        for rank in stopped:
            group.select(rank)
            try:
                numbers[rank] = console.quietly(lambda: self._watchpoint(argument)).number
            except gdb.error as error:
                problems.setdefault(str(error), []).append(rank)
        group.select_one_of(stopped, selected)
        running = [rank for rank in group.alive if rank not in stopped]
        if running:
            problems.setdefault("not watched: it runs", []).extend(running)
        expression = re.sub(r"^-l(ocation)?\s+", "", argument)
        if numbers:
            watchpoints = wording.numbered("watchpoint", numbers.values())
            yield f"{wording.ranks(numbers)}: {watchpoints}: {expression}"
        for problem, ranks in problems.items():
            yield f"{wording.ranks(ranks)}: {problem}"

    def _watchpoint(self, argument: str) -> gdb.Breakpoint:
        with output.quiet():
            return gdb.Breakpoint(argument, gdb.BP_WATCHPOINT, _CLASSES[self.name])
