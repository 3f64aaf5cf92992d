# SPDX-License-Identifier: MIT
"""`mpipp continue`, `next`, `step`, `finish`, `run-to`, `interrupt`: for the ranks in the focus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb import console
from mpipp.gdb.commands.base import Command
from mpipp.gdb.debug_session import session
from mpipp.gdb.debug_session.breakpoints import TargetBreakpoint
from mpipp.gdb.debug_session.session import DebugSession
from mpipp.gdb.program import symbol_names


class _RunCommand(Command):
    # Runs a gdb command in the selected thread of each stopped rank.
    word = ""

    def lines(self, argument: str) -> Iterable[str]:
        """Print nothing now: the stops are reported when they happen."""
        run(session.required(), self.word, argument)
        return ()


class Continue(_RunCommand):
    """Continue the ranks in the focus, until each has stopped.

    mpipp continue

    mpipp reports equal stops once. If some ranks have stopped, and the others do not within 3
    seconds, mpipp reports where the others are, and the prompt returns. Control-C stops the ranks
    in the focus.
    """

    name, word = "mpipp continue", "continue"


class Next(_RunCommand):
    """Step each stopped rank in the focus to its next line, over calls.

    mpipp next [COUNT]

    It waits for these ranks as "mpipp continue" does.
    """

    name, word = "mpipp next", "next"


class Step(_RunCommand):
    """Step each stopped rank in the focus to its next line, into calls.

    mpipp step [COUNT]

    It waits for these ranks as "mpipp continue" does.
    """

    name, word = "mpipp step", "step"


class Finish(_RunCommand):
    """Let each stopped rank in the focus return from its selected function.

    mpipp finish

    In an MPI call this is the program's function that has called MPI. It waits for these ranks as
    "mpipp continue" does.
    """

    name, word = "mpipp finish", "finish"


class RunTo(Command):
    """Let the ranks in the focus run to a line or a function.

    mpipp run-to LOCATION

    LOCATION is as in gdb's break: a line, FILE:LINE or a function. Other ranks do not stop there.
    """

    name = "mpipp run-to"
    completes = gdb.COMPLETE_LOCATION

    def lines(self, argument: str) -> Iterable[str]:
        """Print nothing now: the stops are reported when they happen."""
        if not argument:
            raise MpippError("write mpipp run-to LOCATION: a line, FILE:LINE or a function")
        found = session.required()
        ranks = _stopped(found)
        found.group.select_one_of(ranks, found.group.rank(gdb.selected_inferior()) or 0)
        location = argument
        if argument.isdigit():  # gdb would use each rank's own current file
            line = gdb.selected_frame().find_sal()
            location = f"{symbol_names.file(line.symtab)}:{argument}" if line.symtab else argument
        point = console.quietly(lambda: TargetBreakpoint(location, found.group, found.group.focus))
        if point.pending:
            point.delete()
            raise MpippError(f"there is no location {argument}")
        found.run_to(point, ranks)
        return ()


class Interrupt(Command):
    """Stop the ranks in the focus.

    mpipp interrupt
    """

    name = "mpipp interrupt"

    def lines(self, argument: str) -> Iterable[str]:
        """Print nothing now: the stops are reported when they happen."""
        if argument:
            raise MpippError("mpipp interrupt takes no argument: choose the ranks with mpipp focus")
        found = session.required()
        stopped = set(found.group.stopped)
        running = [rank for rank in found.group.focus if rank not in stopped]
        if not running:
            raise MpippError("all ranks in the focus have stopped")
        found.run([], "continue", running)
        for rank in running:
            found.interrupt_rank(rank)
        return ()


def run(found: DebugSession, word: str, argument: str) -> None:
    """Run a command in each stopped rank of the focus. Raises MpippError."""
    if argument and (word in ("continue", "finish") or not argument.isdigit()):
        takes = "no argument" if word in ("continue", "finish") else "only a number of steps"
        raise MpippError(f"mpipp {word} takes {takes}")
    ranks = _stopped(found)
    # A running rank may stop at a breakpoint meanwhile. A step does not wait for it.
    awaited = found.group.focus if word == "continue" else ranks
    if word == "finish":
        _expect_callers(found, ranks)
    found.run(ranks, f"{word} {argument}".rstrip(), awaited)


def _stopped(found: DebugSession) -> list[int]:
    focus = found.group.focus
    if not focus:
        raise MpippError("no rank in the focus has a process: mpipp restart starts the job again")
    stopped = set(found.group.stopped)
    ranks = [rank for rank in focus if rank in stopped]
    if not ranks:
        raise MpippError(f"{_run_already(focus)}: stop them with mpipp interrupt")
    return ranks


def _run_already(ranks: Sequence[int]) -> str:
    return wording.verb(ranks, "runs already", "run already")


def _expect_callers(found: DebugSession, ranks: Iterable[int]) -> None:
    for rank in ranks:
        found.group.select(rank)
        if gdb.selected_frame().older() is None:
            raise MpippError(f"rank {rank} is in its outermost function: it cannot finish")
    console.output("frame")
