# SPDX-License-Identifier: MIT
"""Accesses to memory: the process, the begin and the end of each, and their search by address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

from mpipp.analysis.rma_engine.access_rules import Atomic
from mpipp.datatypes.memory import intersection, strided_sets
from mpipp.model.rma_events import Access, Event, Memory, Operation, Synchronization, WindowMade

PENDING = 1 << 62  # a time that no clock reaches
GONE = -1  # the address of a removed access
MIXED = -1  # the elements have no common start
UNLOCKED, SHARED, EXCLUSIVE = range(3)

Range = tuple[int, int]


class Segment(NamedTuple):
    """The state of a process between two events that order it with other processes.

    Attributes:
        process: its index in clocks.
        clock: for each process the last segment that precedes this one.
        seen: for each other process the last event that orders this process after it.
        own: the process's own clock; `clock` may also know events of an operation's target.
    """

    process: int
    clock: tuple[int, ...]
    seen: tuple[Event | None, ...]
    own: tuple[int, ...]


class Entry:
    """One access by an event.

    Everything after segment `end_time` of process `end_process` happens after its end. A store to a
    window of the separate model is in the public copy after segment `public_time`.
    """

    __slots__ = (
        "_comb",
        "_phase",
        "actor",
        "atomic",
        "closed",
        "end_number",
        "end_process",
        "end_time",
        "epoch",
        "event",
        "heard",
        "high",
        "kind",
        "lasting",
        "lock",
        "low",
        "made",
        "memory",
        "outlives",
        "owner",
        "phases",
        "private",
        "public_time",
        "request",
        "segment",
        "separate",
        "threaded",
        "window",
    )

    def __init__(
        self,
        kind: int,
        event: Access | Operation,
        segment: Segment,
        owner: int,
        memory: Memory,
        low: int,
        high: int,
    ) -> None:
        self.kind = kind
        self.event = event
        self.segment = segment
        self.actor = segment.process
        self.owner = owner
        self.memory = memory
        self.low = low
        self.high = high
        self.window = 0
        self.lock = UNLOCKED
        self.outlives = False  # the buffer may be in use after its process unlocks its memory
        self.atomic: Atomic | None = None
        self.made: WindowMade | None = None  # an accumulate's window, with its info keys
        self.request = 0
        self.separate = False
        self.private = False  # no other process can access these bytes
        # threaded: other threads may access these bytes after the end. lasting: the process never
        # frees them. Only then later accesses count, because memory that is freed is reused.
        self.threaded = False
        self.lasting = False
        self.end_process = segment.process
        self.end_time = PENDING
        self.end_number = 0
        # If the epoch was closed before the access's end: the number of the process's event that
        # closed it.
        self.closed = -1
        self.public_time = 0
        self.epoch: Synchronization | None = None  # the call that opened the epoch
        self._comb: strided_sets.Comb | None = None
        self._phase: int | None = None
        self.heard = 0  # `Flags.heard` at the time of this access
        # Set by the first query: the size of elements, and the bytes grouped by their start modulo
        # this size.
        self.phases: tuple[int, list[tuple[int, Entry]]] | None = None

    @property
    def comb(self) -> strided_sets.Comb | None:
        """The bytes as a set for arithmetic."""
        if self._comb is None:
            self._comb = strided_sets.union(
                strided_sets.comb(part.first, part.length, ((part.times, part.stride),))
                for part in self.memory
            )
        return self._comb

    @property
    def phase(self) -> int:
        """The common start of all elements of an accumulate, modulo their size.

        MIXED if they have no common start, or if a start is unknown.
        """
        if self._phase is None:
            size = self.atomic.size if self.atomic is not None else 0
            self._phase = _phase(self.memory, size) if size > 1 else 0
        return self._phase

    def ends(self, process: int, time: int, number: int) -> None:
        """Set the end, in a segment of a process and at an event, unless it has one already."""
        if self.end_time == PENDING:
            self.end_process, self.end_time, self.end_number = process, time, number
            if self.private and not self.threaded:
                self.low = self.high = GONE

    def forget(self) -> None:
        """Remove the access from all later comparisons."""
        self.low = self.high = GONE


def _phase(memory: Memory, size: int) -> int:
    found = {
        MIXED if length % size or (stride % size and times > 1) else first % size
        for first, length, stride, times in memory
    }
    return found.pop() if len(found) == 1 else MIXED


def bounds(memory: Memory) -> Range | None:
    """Return the first byte, and the end of the last; None if there are none."""
    if len(memory) == 1:
        first, length, stride, times = memory[0]
        if length <= 0 or times <= 0:
            return None
        if times == 1:
            return first, first + length
        if stride >= 0:
            return first, first + length + (times - 1) * stride
        return first + (times - 1) * stride, first + length
    found = [box for part in memory if (box := bounds((part,)))]
    return (min(low for low, _ in found), max(high for _, high in found)) if found else None


def shared(one: Entry, other: Entry) -> Range | None:
    """Return bytes that both accesses share, or None. Their bounding boxes must overlap."""
    if len(one.memory) == len(other.memory) == 1:
        ours, theirs = one.memory[0], other.memory[0]
        if ours.times == theirs.times == 1:
            return max(one.low, other.low), min(one.high, other.high)
        if ours.stride == theirs.stride > 0:
            # Columns of one array may interleave without a common byte.
            apart = (theirs.first - ours.first) % ours.stride
            if ours.length <= apart and apart + theirs.length <= ours.stride:
                return None
    first, second = one.comb, other.comb
    return intersection.touch(first, second) if first and second else None


def shared_with(entry: Entry, low: int, high: int) -> Range | None:
    """Return bytes that an access and [low, high) share, or None."""
    first, second = entry.comb, strided_sets.comb(low, high - low, ())
    return intersection.touch(first, second) if first and second else None


class Lies(Protocol):
    """An object that occupies the addresses [low, high)."""

    @property
    def low(self) -> int: ...

    @property
    def high(self) -> int: ...


Lying = TypeVar("Lying", bound=Lies)


class Accesses(Generic[Lying]):
    """Accesses to one process's memory, found by address.

    There is a grid for each power of two, with cells of this size. An access is in the grid with
    the next power of two above its size, so it lies in at most two cells.
    """

    def __init__(self) -> None:
        self.grids: dict[int, dict[int, list[Lying]]] = {}
        self.number = 0

    def add(self, entry: Lying) -> None:
        """Add an object."""
        low, last = entry.low, entry.high - 1
        level = (last - low).bit_length()
        if level < 6:
            level = 6
        grid = self.grids.get(level)
        if grid is None:
            grid = self.grids[level] = {}
        place, end = low >> level, last >> level
        while place <= end:
            cell = grid.get(place)
            if cell is None:
                grid[place] = [entry]
            else:
                cell.append(entry)
            place += 1
        self.number += 1

    def cells(self, low: int, high: int) -> list[list[Lying]]:
        """Return lists of accesses: all that have bytes in [low, high), and perhaps others."""
        found = []
        for level, grid in self.grids.items():
            first, last = low >> level, (high - 1) >> level
            if first == last:
                cell = grid.get(first)
                if cell:
                    found.append(cell)
            elif last - first < 4:
                for place in range(first, last + 1):
                    cell = grid.get(place)
                    if cell:
                        found.append(cell)
            elif last - first < len(grid):
                found += [grid[place] for place in range(first, last + 1) if place in grid]
            else:
                found += [cell for place, cell in grid.items() if first <= place <= last]
        return found

    def meeting(self, low: int, high: int) -> Iterator[Lying]:
        """Yield the objects with bytes in [low, high), each once."""
        for level, grid in self.grids.items():
            first, last = low >> level, (high - 1) >> level
            places = range(first, last + 1) if last - first < len(grid) else list(grid)
            for place in places:
                for entry in grid.get(place, ()):
                    is_first = place == max(first, entry.low >> level)
                    if is_first and entry.low < high and low < entry.high:
                        yield entry

    def remove(self, entry: Lying) -> None:
        """Remove an object."""
        level = max(6, (entry.high - entry.low - 1).bit_length())
        grid = self.grids.get(level, {})
        for place in range(entry.low >> level, (entry.high - 1 >> level) + 1):
            cell = grid.get(place, [])
            if entry in cell:
                cell.remove(entry)
            if not cell:
                grid.pop(place, None)
        self.number -= 1

    def keep(self, wanted: Callable[[Lying], bool]) -> None:
        """Drop all objects for which `wanted` is false."""
        self.number = 0
        for level, grid in list(self.grids.items()):
            for place, cell in list(grid.items()):
                cell[:] = [entry for entry in cell if entry.low >= 0 and wanted(entry)]
                self.number += sum(entry.low >> level == place for entry in cell)
                if not cell:
                    del grid[place]
            if not grid:
                del self.grids[level]

    def __iter__(self) -> Iterator[Lying]:
        """Yield each object once, in any order."""
        for level, grid in self.grids.items():
            for place, cell in grid.items():
                for entry in cell:
                    if entry.low >> level == place:
                        yield entry
