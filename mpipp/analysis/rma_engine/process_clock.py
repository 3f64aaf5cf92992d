# SPDX-License-Identifier: MIT
"""The clocks of a process and its threads during the replay, and its waits."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence

from mpipp.analysis.rma_engine.accesses import Entry, Segment
from mpipp.model.rma_events import Event, ThreadAcquired, ThreadReleased

# A generator that yields the key of an event to wait for; None only lets other processes run.
Steps = Generator[Hashable, None, None]
DAMAGED = "an event that cannot be"  # the key of an event that never comes
PAUSE = "all processes of the run have waited for all"  # the key of an event that `turn` returns
_OVER = object()
# The numbers of events of a process in one turn. Turns do not depend on events that are left out.
TURN = 1024


class ReplayedProcess:
    """A process in the replay.

    `clock[i]` is the last segment of process i that precedes this process's next event. With
    `threads`, the clock also has components of threads.
    """

    def __init__(
        self,
        rank: int,
        index: int,
        number: int,
        events: Iterable[Event],
        threads: Threads | None = None,
    ) -> None:
        self.rank = rank
        self.index = index
        self.source = events
        self.events = iter(events)
        self.clock = [-1] * number
        self.clock[index] = 0
        self.threads = threads
        self.thread = 0  # of the current event
        if threads is not None:
            self.clock[threads.current] = 0
        self.seen: list[Event | None] = [None] * number
        self.segment = self._segment()
        self.changed = False
        self.number = 0  # of the current event
        self.turn = TURN  # number of the first event of the next turn
        # For each segment the number of the event that ends it, after which others are ordered.
        self.told = array("q")
        self.ended = False
        self.pauses = False  # whether this event is a barrier of all processes
        self.rare = 0  # number of events that no repetition may contain
        self.last: Event | None = None
        self.requests: dict[int, Callable[[Event], Steps]] = {}
        self.several = False  # whether more than one thread had events
        self.users: set[int] = set()  # threads that have accessed windows, or their memory
        self.shares: list[int] = []  # windows whose memory it shares with other processes

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

    def enter(self, thread: int) -> None:
        """Note that another thread has the next event."""
        self.thread = thread
        self.several = True
        if self.threads is not None and self.threads.several:
            self.threads.enter(self, thread)

    def release(self) -> tuple[int, ...]:
        """Return the clock that this event passes to others, and begin the next segment."""
        told = tuple(self.clock)
        self.told.append(self.number)
        self.clock[self.index] += 1
        if self.threads is not None:
            self.threads.begin_segment(self)
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


class Threads:
    """The threads of one process.

    Attributes:
        current: the component of the thread that has the current event.
        of: by segment of the process, the component of its thread.
    """

    def __init__(self, base: int, first: int, count: int, size: int) -> None:
        self._base = base  # number of processes
        self._first = first
        self._count = count
        self._size = size  # of clocks
        self.current = first
        self.of = array("L", [first])
        self._others: dict[int, tuple[list[int], list[Event | None]]] = {}
        self._resting: set[int] = set()
        self._forgotten = [-1] * (size - base)
        self._objects: dict[int, list[int]] = {}

    @property
    def several(self) -> bool:
        """Return whether the process has several threads whose order is known."""
        return self._count > 1

    def enter(self, process: ReplayedProcess, thread: int) -> None:
        """Begin a segment of another thread."""
        base = self._base
        self._others[self.current] = process.clock[base:], process.seen[base:]
        self.current = self._first + min(thread, self._count - 1)
        size = self._size - base
        clock, seen = self._others.pop(self.current, ([-1] * size, [None] * size))
        if self.current in self._resting:
            # Meanwhile the others have known all of this, and the analysis has dropped it.
            self._resting.discard(self.current)
            clock = list(map(max, clock, self._forgotten))
        process.clock[base:] = clock
        process.seen[base:] = seen
        process.release()

    def begin_segment(self, process: ReplayedProcess) -> None:
        """Note that the process has begun a segment."""
        process.clock[self.current] = process.time
        self.of.append(self.current)

    def of_entry(self, entry: Entry) -> int:
        """Return the component of the thread that has an access."""
        return self.of[entry.segment.own[entry.actor]]

    def pass_on(self, process: ReplayedProcess, event: ThreadReleased) -> None:
        """Pass the current thread's order to an object."""
        clock = process.clock[self._base :]
        known = self._objects.get(event.object)
        self._objects[event.object] = clock if known is None else list(map(max, known, clock))
        process.release()
        if event.rests:
            self._resting.add(self.current)

    def take(self, process: ReplayedProcess, event: ThreadAcquired) -> None:
        """Order the current thread after the releases of an object."""
        known = self._objects.get(event.object)
        if known is not None:
            process.merge_clock([-1] * self._base + known, event)

    def forget(self, known: list[int]) -> None:
        """Note the times of all threads that no comparison needs again."""
        if self._resting:
            self._forgotten = known

    def least(self, process: ReplayedProcess) -> list[int]:
        """Return the times that all threads of the process know, for all components."""
        clocks = [clock for at, (clock, _) in self._others.items() if at not in self._resting]
        return list(map(min, zip(*(process.clock[self._base :], *clocks))))


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

    def turn(self, steps: Sequence[Steps]) -> list[int]:
        """Let each process that is ready continue until it waits.

        Args:
            steps: the steps of all processes.

        Returns:
            The processes that wait for `PAUSE`.
        """
        turns = self.ready[:]
        self.ready.clear()
        paused = []
        for index in turns:
            what = next(steps[index], _OVER)
            if what is None:
                self.ready.append(index)
            elif what is PAUSE:
                paused.append(index)
            elif what is not _OVER:
                self.waiting.setdefault(what, []).append(index)
        return paused

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
