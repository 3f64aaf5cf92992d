# SPDX-License-Identifier: MIT
"""An access of memory: whose, when it began and ended; and the accesses that are not yet past."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

from mpipp.analysis.rma_engine.access_rules import Atomic
from mpipp.datatypes.memory import intersection, strided_sets
from mpipp.model.rma_events import (
    Access,
    Event,
    Memory,
    Operation,
    Synchronization,
    WindowMade,
)

PENDING = 1 << 62  # a time that no clock reaches
GONE = -1  # the address of what need not be found any more
MIXED = -1  # in place of where all elements begin
UNLOCKED, SHARED, EXCLUSIVE = range(3)

Range = tuple[int, int]


class Segment(NamedTuple):
    """A process's state between two events that order it with others.

    Attributes:
        process: its place in the clock.
        clock: the segment of each process after which this one comes.
        seen: the last event that orders this process after each other one.
        own: the clock without what only an operation comes after, which its target tells.
    """

    process: int
    clock: tuple[int, ...]
    seen: tuple[Event | None, ...]
    own: tuple[int, ...]


class Entry:
    """One access by an event.

    It has ended before everything after segment `end_time` of process `end_process`. A store to a
    window of the separate model is in the public copy after that of `public_time`.
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
        self.outlives = False  # a buffer: it is in use when its process unlocks that memory
        self.atomic: Atomic | None = None
        self.made: WindowMade | None = None  # of an accumulate: what the info keys said then
        self.request = 0
        self.separate = False
        self.private = False  # nobody else reaches these bytes
        self.end_process = segment.process
        self.end_time = PENDING
        self.end_number = 0
        self.closed = -1  # the number of the process's own event that closed its epoch before that
        self.public_time = 0
        self.epoch: Synchronization | None = None  # the call that opened it
        self._comb: strided_sets.Comb | None = None
        self._phase: int | None = None
        self.heard = 0  # `Flags.heard` when it was added
        # Elements of a size, by their start modulo that size; after the first query.
        self.phases: tuple[int, list[tuple[int, Entry]]] | None = None

    @property
    def comb(self) -> strided_sets.Comb | None:
        """The bytes, as arithmetic has them."""
        if self._comb is None:
            self._comb = strided_sets.union(
                strided_sets.comb(part.first, part.length, ((part.times, part.stride),))
                for part in self.memory
            )
        return self._comb

    @property
    def phase(self) -> int:
        """Where all elements of an accumulate begin, modulo their size, if they do at one place.

        If they do not, or it is not known of all, MIXED.
        """
        if self._phase is None:
            size = self.atomic.size if self.atomic is not None else 0
            self._phase = _phase(self.memory, size) if size > 1 else 0
        return self._phase

    def ends(self, process: int, time: int, number: int) -> None:
        """It has ended, by this event in a segment of a process, unless it had before."""
        if self.end_time == PENDING:
            self.end_process, self.end_time, self.end_number = process, time, number
            if self.private:
                self.low = self.high = GONE

    def forget(self) -> None:
        """Nothing will meet it any more."""
        self.low = self.high = GONE


def _phase(memory: Memory, size: int) -> int:
    found = {
        MIXED if length % size or (stride % size and times > 1) else first % size
        for first, length, stride, times in memory
    }
    return found.pop() if len(found) == 1 else MIXED


def bounds(memory: Memory) -> Range | None:
    """The first byte, and the end of the last; None if there are none."""
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
    """Bytes that both share; None if there are none. Their boxes overlap."""
    if len(one.memory) == len(other.memory) == 1:
        ours, theirs = one.memory[0], other.memory[0]
        if ours.times == theirs.times == 1:
            return max(one.low, other.low), min(one.high, other.high)
        if ours.stride == theirs.stride > 0:
            # Columns of one array, which others are between.
            apart = (theirs.first - ours.first) % ours.stride
            if ours.length <= apart and apart + theirs.length <= ours.stride:
                return None
    first, second = one.comb, other.comb
    return intersection.touch(first, second) if first and second else None


def shared_with(entry: Entry, low: int, high: int) -> Range | None:
    """Bytes that an access and [low, high) share."""
    first, second = entry.comb, strided_sets.comb(low, high - low, ())
    return intersection.touch(first, second) if first and second else None


class Lies(Protocol):
    """An object at addresses [low, high)."""

    @property
    def low(self) -> int: ...

    @property
    def high(self) -> int: ...


Lying = TypeVar("Lying", bound=Lies)


class Accesses(Generic[Lying]):
    """Accesses of one process's memory, or parts of it, found by address.

    Each is in the grid of its size. Cells are as wide as the next power of two, so it lies in at
    most two of them.
    """

    def __init__(self) -> None:
        self.grids: dict[int, dict[int, list[Lying]]] = {}
        self.number = 0

    def add(self, entry: Lying) -> None:
        """One more."""
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
        """Lists of accesses, some of which have bytes in [low, high); none else has."""
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
        """The entries with bytes in [low, high), each once."""
        for level, grid in self.grids.items():
            first, last = low >> level, (high - 1) >> level
            places = range(first, last + 1) if last - first < len(grid) else list(grid)
            for place in places:
                for entry in grid.get(place, ()):
                    is_first = place == max(first, entry.low >> level)
                    if is_first and entry.low < high and low < entry.high:
                        yield entry

    def remove(self, entry: Lying) -> None:
        """It is not there any more."""
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
        """Drop all others."""
        kept = list(filter(wanted, self))
        self.grids.clear()
        self.number = 0
        for entry in kept:
            self.add(entry)

    def __iter__(self) -> Iterator[Lying]:
        """Each once, in any order."""
        for level, grid in self.grids.items():
            for place, cell in grid.items():
                for entry in cell:
                    if entry.low >> level == place:
                        yield entry
