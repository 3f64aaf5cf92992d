# SPDX-License-Identifier: MIT
"""The ranks in this gdb: the inferior of each, its selected thread, the focus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import gdb

from mpipp.gdb import job_ranks
from mpipp.gdb.debug_session.frames import own_frame
from mpipp.gdb.selected_thread import selected_thread
from mpipp.ranks import rank_set


class Group:
    """The ranks of one job."""

    def __init__(self) -> None:
        self._inferiors: dict[int, int] = {}  # by rank
        self._threads: dict[int, int] = {}  # by rank: the thread that stopped last
        self._focus: list[int] | None = None  # None: all ranks

    def add(self, rank: int, inferior: gdb.Inferior) -> None:
        """Register an inferior as the process of a rank."""
        self._inferiors[rank] = inferior.num
        job_ranks.name(inferior.num, rank)

    def inferior(self, rank: int) -> gdb.Inferior | None:
        """The inferior of a rank, which may have no process now; None for an unknown rank."""
        number = self._inferiors.get(rank)
        return next((one for one in gdb.inferiors() if one.num == number), None)

    def rank(self, inferior: gdb.Inferior) -> int | None:
        """The rank of an inferior; None if it does not belong to the job."""
        found = (rank for rank, number in self._inferiors.items() if number == inferior.num)
        return next(found, None)

    @property
    def alive(self) -> list[int]:
        """The ranks that have a process."""
        there = {one.num for one in gdb.inferiors() if one.pid}
        return sorted(rank for rank, number in self._inferiors.items() if number in there)

    @property
    def focus(self) -> list[int]:
        """The ranks in the focus that have a process."""
        return [rank for rank in self.alive if self._focus is None or rank in self._focus]

    @property
    def focus_text(self) -> str:
        """The focus as users write it."""
        return rank_set.ALL if self._focus is None else rank_set.compact(self._focus)

    def set_focus(self, chosen: Iterable[int] | None) -> None:
        """Set the ranks that run control applies to; None means all ranks, also later ones."""
        self._focus = None if chosen is None else sorted(chosen)

    @contextmanager
    def focused(self, chosen: Iterable[int]) -> Iterator[None]:
        """Set the focus within this context."""
        before = self._focus
        self.set_focus(chosen)
        try:
            yield
        finally:
            self._focus = before

    def note(self, rank: int, thread: gdb.InferiorThread) -> None:
        """Store the thread of a rank that stopped last."""
        self._threads[rank] = thread.global_num

    def is_other(self, rank: int, thread: gdb.InferiorThread) -> bool:
        """Return whether another thread of the rank stopped last."""
        return self._threads.get(rank) not in (None, thread.global_num)

    def threads(self, rank: int) -> list[gdb.InferiorThread]:
        """The stopped threads of a rank; first the thread that stopped last."""
        inferior = self.inferior(rank)
        every = inferior.threads() if inferior is not None and inferior.pid else ()
        last = self._threads.get(rank)
        stopped = [thread for thread in every if thread.is_stopped()]
        return sorted(stopped, key=lambda thread: (thread.global_num != last, thread.num))

    def thread(self, rank: int) -> gdb.InferiorThread | None:
        """The thread of a rank that stopped last; None if all its threads run."""
        return next(iter(self.threads(rank)), None)

    @property
    def stopped(self) -> list[int]:
        """The ranks that have a stopped thread."""
        return [rank for rank in self.alive if self.thread(rank) is not None]

    def select(self, rank: int) -> bool:
        """Select the stopped thread of a rank, in the program's own frame.

        Returns whether the rank has such a thread.
        """
        thread = self.thread(rank)
        if thread is None:
            return False
        if thread != selected_thread():
            thread.switch()
        frame = own_frame()
        if frame is not None:
            frame.select()
        return True

    def select_one_of(self, chosen: Iterable[int], wanted: int) -> None:
        """Select a stopped rank among `chosen`: `wanted` if possible, else the first."""
        for rank in sorted(chosen, key=lambda rank: (rank != wanted, rank)):
            if self.select(rank):
                return
