# SPDX-License-Identifier: MIT
"""A process during the replay: its clock, and its wait."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator

from mpipp.analysis.rma_engine.accesses import Segment
from mpipp.model.rma_events import Event

# Yields what it waits for, until another process has done that; None: others may run.
Steps = Generator[Hashable, None, None]
DAMAGED = "an event that cannot be"  # what nobody ever does


class ReplayedProcess:
    """`clock[i]` is the segment of process i that is before what comes next here."""

    def __init__(self, rank: int, index: int, number: int, events: Iterable[Event]) -> None:
        self.rank = rank
        self.index = index
        self.events = iter(events)
        self.clock = [-1] * number
        self.clock[index] = 0
        self.seen: list[Event | None] = [None] * number
        self.segment = self._segment()
        self.changed = False
        self.number = 0  # of the event that is read
        # of the event that each segment ends with, after which others are ordered
        self.told = array("q")
        self.ended = False
        self.last: Event | None = None
        self.requests: dict[int, Callable[[Event], Steps]] = {}
        self.several = False  # threads that have done something
        self.users: set[int] = set()  # threads that have used windows, or their memory
        self.shares: list[int] = []  # windows by which it and others have memory in common

    @property
    def time(self) -> int:
        """The number of its segment."""
        return self.clock[self.index]

    def current_segment(self) -> Segment:
        """The segment with the process's current clock."""
        if self.changed:
            self.segment = self._segment()
            self.changed = False
        return self.segment

    def _segment(self) -> Segment:
        clock = tuple(self.clock)
        return Segment(self.index, clock, tuple(self.seen), clock)

    def release(self) -> tuple[int, ...]:
        """The clock that this event passes to others; the next segment begins."""
        told = tuple(self.clock)
        self.told.append(self.number)
        self.clock[self.index] += 1
        self.changed = True
        return told

    def merge_clock(self, clock: Iterable[int], event: Event) -> None:
        """Take over the clock of others, by an event."""
        mine = self.clock
        for i, time in enumerate(clock):
            if time > mine[i]:
                mine[i] = time
                self.seen[i] = event
                self.changed = True


def join_clocks(clock: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The combination of two clocks."""
    return tuple(map(max, clock, other))


def common_segments(processes: list[ReplayedProcess]) -> list[int]:
    """The last segment of each process whose end is ordered before all others that continue."""
    alive = [process.clock for process in processes if not process.ended]
    return [min((clock[at] for clock in alive), default=1 << 62) for at in range(len(processes))]


class WaitTable:
    """The waits of processes, by event."""

    def __init__(self) -> None:
        self.waiting: dict[Hashable, list[int]] = {}
        self.ready: list[int] = []

    def done(self, what: Hashable) -> None:
        """Every process that waited for this continues."""
        found = self.waiting.pop(what, None)
        if found:
            self.ready += found

    def stuck(self, but: Hashable) -> Iterator[int]:
        """The processes that still wait, except for one event."""
        for what, indices in self.waiting.items():
            if what != but:
                yield from indices
