# SPDX-License-Identifier: MIT
"""The clock of a process during the replay, and its waits."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator

from mpipp.analysis.rma_engine.accesses import Segment
from mpipp.model.rma_events import Event

# A generator that yields the key of an event to wait for; None: only let others run.
Steps = Generator[Hashable, None, None]
DAMAGED = "an event that cannot be"  # the key of an event that never comes


class ReplayedProcess:
    """A process in the replay.

    `clock[i]` is the last segment of process i that precedes this process's next event.
    """

    def __init__(self, rank: int, index: int, number: int, events: Iterable[Event]) -> None:
        self.rank = rank
        self.index = index
        self.source = events
        self.events = iter(events)
        self.clock = [-1] * number
        self.clock[index] = 0
        self.seen: list[Event | None] = [None] * number
        self.segment = self._segment()
        self.changed = False
        self.number = 0  # of the current event
        # By segment: number of the event that ends it, after which others are ordered.
        self.told = array("q")
        self.ended = False
        self.pauses = False  # whether all processes of the run have waited for all at this event
        self.rare = 0  # number of events that no repetition may contain
        self.last: Event | None = None
        self.requests: dict[int, Callable[[Event], Steps]] = {}
        self.several = False  # whether more than one thread had events
        self.users: set[int] = set()  # threads that have accessed windows, or their memory
        self.shares: list[int] = []  # windows whose memory it shares with others

    @property
    def time(self) -> int:
        """The number of the current segment."""
        return self.clock[self.index]

    def current_segment(self) -> Segment:
        """Return the segment with the process's current clock."""
        if self.changed:
            self.segment = self._segment()
            self.changed = False
        return self.segment

    def _segment(self) -> Segment:
        clock = tuple(self.clock)
        return Segment(self.index, clock, tuple(self.seen), clock)

    def release(self) -> tuple[int, ...]:
        """Return the clock that this event passes to others, and begin the next segment."""
        told = tuple(self.clock)
        self.told.append(self.number)
        self.clock[self.index] += 1
        self.changed = True
        return told

    def merge_clock(self, clock: Iterable[int], event: Event) -> None:
        """Merge the clock of other processes at an event."""
        mine = self.clock
        for i, time in enumerate(clock):
            if time > mine[i]:
                mine[i] = time
                self.seen[i] = event
                self.changed = True


def join_clocks(clock: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Return the combination of two clocks."""
    return tuple(map(max, clock, other))


def common_segments(processes: list[ReplayedProcess]) -> list[int]:
    """Return the last segment of each process whose end precedes all processes that continue."""
    alive = [process.clock for process in processes if not process.ended]
    return [min((clock[at] for clock in alive), default=1 << 62) for at in range(len(processes))]


class WaitTable:
    """The waits of processes, by the key of the event."""

    def __init__(self) -> None:
        self.waiting: dict[Hashable, list[int]] = {}
        self.ready: list[int] = []

    def done(self, what: Hashable) -> None:
        """Let all processes continue that waited for this event."""
        found = self.waiting.pop(what, None)
        if found:
            self.ready += found

    def stuck(self, but: Hashable) -> Iterator[int]:
        """Yield the processes that still wait, except for the event `but`."""
        for what, indices in self.waiting.items():
            if what != but:
                yield from indices
