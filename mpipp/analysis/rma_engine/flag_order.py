# SPDX-License-Identifier: MIT
"""The order that flags may give. A flag is memory that one process writes and another one reads.

If an atomic operation reads a value from another process, the writer's operation happens before it
and before later events. But the writer is not always known. Accesses that flags may order are
undecided. If all operations on an element are known (`values`), only writers of a value can precede
its reader. If the operations are sums, writers of smaller values can precede the reader, too.

The rule also holds for memory that is written and read under exclusive locks. If processes call
MPI_Win_sync, the rule holds for a process that polls its own memory, and for others that poll it
with gets. Not all loads and stores of a shared window are logged, so while it exists there may have
been any. Messages to processes of another MPI_COMM_WORLD are one flag, because messages among them
are unknown.

A possible flag is identified by its window and target. A flag's writes are kept once for each clock
of a process, its reads once for each segment.
"""

from __future__ import annotations

import bisect
from collections.abc import Hashable, Iterator
from typing import NamedTuple, Optional, Protocol, Union

from mpipp.analysis.rma_engine.accesses import PENDING, Segment
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess, join_clocks
from mpipp.analysis.rma_engine.value_order import Place, Values
from mpipp.model.rma_events import Event

ATOMIC, LOCKED, SHARED, POLLED, ELSEWHERE, STORED = range(6)
FLAG_OF = {"atomic": ATOMIC, "locked": LOCKED}  # by the words in rma_events.FLAGS
# A possible flag: (window, owner of the memory, one of the above), or (element, value).
Group = Union[tuple[int, int, int], tuple[Place, Optional[int]]]


class _Process:
    """The reads and writes of one process in a group.

    Writes have an item for each clock of the process, reads one for each segment.
    """

    __slots__ = ("clocks", "knows", "lasts", "read_times", "reads")

    def __init__(self) -> None:
        self.lasts: list[int] = []  # number of the last writing event
        self.clocks: list[tuple[int, ...]] = []  # clocks that precede the written value
        self.knows: list[tuple[int, ...]] = []  # the process's clock at its write
        self.read_times: list[int] = []
        self.reads: list[int] = []  # number of the first event after the read


class Point(NamedTuple):
    """A point in the execution of a process."""

    process: int
    time: int
    number: int


class Lasting(Protocol):
    """An access or an epoch; `accesses.Entry` describes the members."""

    @property
    def event(self) -> Event: ...

    @property
    def segment(self) -> Segment: ...

    @property
    def actor(self) -> int: ...

    @property
    def end_process(self) -> int: ...

    @property
    def end_time(self) -> int: ...

    @property
    def end_number(self) -> int: ...


class Flags:
    """All possible flags. `suspected` has the groups that some process may have read as flags."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.known: dict[Group, dict[int, _Process]] = {}
        self.suspected: set[Group] = set()
        self.cut = False  # whether the last events of some process are unknown
        # Number of segments of all processes in which a flag may have been read.
        self.heard = 0

    def _of(self, group: Group, process: int) -> _Process:
        processes = self.known.get(group)
        if processes is None:
            processes = self.known[group] = {}
        found = processes.get(process)
        if found is None:
            found = processes[process] = _Process()
        return found

    def writes(self, group: Group, segment: Segment, after: Segment, number: int) -> None:
        """Note that an event writes a possible flag.

        Args:
            group: the possible flag.
            segment: the writer's segment.
            after: the segment at the target that happens before the written value.
            number: the event's number.
        """
        process = self._of(group, segment.process)
        clock = after.clock
        if process.clocks:
            if process.knows[-1] is segment.clock and process.clocks[-1] is clock:
                process.lasts[-1] = number
                return
            if after is not segment or process.clocks[-1] is not process.knows[-1]:
                clock = join_clocks(process.clocks[-1], clock)
                if clock == segment.clock:
                    clock = segment.clock  # saves memory: one tuple in place of two equal ones
        process.lasts.append(number)
        process.clocks.append(clock)
        process.knows.append(segment.clock)

    def reads(self, group: Group, process: int, time: int, number: int) -> None:
        """Note that a process has read a possible flag, at an event in one of its segments."""
        found = self._of(group, process)
        if len(group) == 2:
            self.suspected.add(group)
        if not found.read_times or found.read_times[-1] != time:
            found.read_times.append(time)
            found.reads.append(number)
            self.heard += group in self.suspected

    def shape(self) -> Hashable:
        """Return the state that decides which later reads and writes matter: the processes that
        have read or written each group."""
        known = (
            (group, index, bool(found.reads), bool(found.lasts))
            for group, processes in self.known.items()
            for index, found in processes.items()
        )
        return frozenset(known), len(self.suspected), self.heard > 0

    def share(self, process: ReplayedProcess, number: int) -> None:
        """Note that loads and stores of shared windows may have happened before an event."""
        segment = process.current_segment()
        for window in process.shares:
            group = window, 0, SHARED
            self.suspected.add(group)
            self.writes(group, segment, segment, number)
            self.reads(group, process.index, process.time, number - 1)

    def may_order(self, first: Lasting, second: Lasting) -> bool:
        """Return whether flags may have ordered the second after the end of the first."""
        segment = second.segment
        goal = Point(second.actor, segment.clock[second.actor], second.event.moment.number)
        if self.cut and self._has_read(goal, segment.clock):
            return True  # an unknown operation may have written the flag
        if first.end_time == PENDING or not self.suspected:
            return False
        begun = Point(first.end_process, first.end_time, first.end_number)
        after = self._after(begun)
        if goal.process in after and _behind(goal, after[goal.process]):
            return True
        return any(
            segment.clock[process] >= point.time
            for process, point in after.items()
            if process != goal.process
        )

    def may_order_threads(self, first: Lasting, second: Lasting) -> bool:
        """Return whether flags may have ordered the second after the end of the first.

        Unlike `may_order`, it does not take the order of one process's events for granted.
        """
        segment = second.segment
        goal = Point(second.actor, segment.clock[second.actor], second.event.moment.number)
        if self.cut and self._has_read(goal, segment.clock):
            return True
        if first.end_time == PENDING or not self.suspected:
            return False
        begun = Point(first.end_process, first.end_time, first.end_number)
        after = {begun.process: begun}
        read: dict[int, Point] = {}
        while self._extend(after, read):
            pass
        return any(
            _behind(goal, point)
            if process == goal.process
            else segment.clock[process] >= point.time
            for process, point in read.items()
        )

    def _has_read(self, goal: Point, clock: tuple[int, ...]) -> bool:
        # Return whether a possible flag was read before.
        for processes in self.known.values():
            for process, known in processes.items():
                if not known.reads:
                    continue
                point = Point(process, known.read_times[0], known.reads[0])
                if process == goal.process:
                    if _behind(goal, point):
                        return True
                elif clock[process] >= point.time:
                    return True
        return False

    def _pairs(self) -> Iterator[tuple[int, _Process, dict[int, _Process]]]:
        # Yields each writer with all possible readers.
        for group in self.suspected:
            readers = self.known.get(group, {})
            if len(group) == 3:
                sources: list[Group] = [group]
            else:
                place, value = group
                assert value is not None
                sources = [(place, left) for left in self.values.sources(place, value)]
            for source in sources:
                for writer, written in self.known.get(source, {}).items():
                    if written.lasts:
                        yield writer, written, readers

    def _after(self, begun: Point) -> dict[int, Point]:
        # The first point of each process that may come after `begun`, by the flags that it has
        # read.
        after = {begun.process: begun}
        while self._extend(after, None):
            pass
        return after

    def _extend(self, after: dict[int, Point], by_read: dict[int, Point] | None) -> bool:
        # Adds the points after one more read. Returns whether any is new. by_read, for threads: the
        # first point of each process behind a read, also of a value of the process itself.
        changed = False
        for writer, written, readers in self._pairs():
            clock = _first_after(written, writer, after)
            if clock is None:
                continue
            for reader, read in readers.items():
                if reader == writer and by_read is None:
                    continue
                at = bisect.bisect_right(read.read_times, clock[reader])
                if at == len(read.read_times):
                    continue
                point = Point(reader, read.read_times[at], read.reads[at])
                for points in (after,) if by_read is None else (after, by_read):
                    if reader not in points or point < points[reader]:
                        points[reader] = point
                        changed = True
        return changed


def _first_after(written: _Process, writer: int, after: dict[int, Point]) -> tuple[int, ...] | None:
    # The clock of the first write after any of the points; None if there is none.
    best = len(written.lasts)
    for process, (_, time, number) in after.items():
        if process == writer:
            at = bisect.bisect_right(written.lasts, number)
        else:
            at = _first(written.clocks, process, time)
        best = min(best, at)
    return written.knows[best] if best < len(written.knows) else None


def _first(clocks: list[tuple[int, ...]], process: int, time: int) -> int:
    # The index of the first of the sorted clocks that a segment happens before.
    low, high = 0, len(clocks)
    while low < high:
        middle = (low + high) // 2
        if clocks[middle][process] < time:
            low = middle + 1
        else:
            high = middle
    return low


def _behind(goal: Point, point: Point) -> bool:
    # A value that an access has read itself does not order the access.
    return (goal.time, goal.number) > (point.time, point.number)
