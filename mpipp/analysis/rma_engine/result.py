# SPDX-License-Identifier: MIT
"""The results of the analysis."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.analysis.rma_engine.conflicts.conflict import Conflict
from mpipp.analysis.rma_engine.epoch_errors import Mistake
from mpipp.model.rma_events import Event


class Result(NamedTuple):
    """The results of the analysis.

    Attributes:
        undecided: conflicts unless flags have ordered them, which the events do not show.
        cut: the last analysed event of each process with a rest that was not analysed; None:
            there is none.
        stuck: processes among these that wait for unknown events of others.
        forgotten: number of accesses that were dropped before later ones were compared with them.
        unknown: number of operations whose bytes are unknown.
        events: number of events.
        threaded: processes in which several threads have used windows, or their memory, without a
            known order. Their accesses are assumed to be in the order of the events.
        locks: accesses in exclusive locks whose order decides the result.
    """

    conflicts: list[Conflict]
    mistakes: list[Mistake]
    undecided: list[Conflict]
    cut: dict[int, Event | None]
    stuck: frozenset[int]
    forgotten: int
    unknown: int
    events: int
    threaded: frozenset[int]
    locks: list[Conflict]

    @property
    def has_only_conflicts(self) -> bool:
        """True if all events were analysed, and no call was wrong by itself."""
        rest = self.cut, self.stuck, self.forgotten, self.unknown, self.threaded
        return not (self.mistakes or any(rest))
