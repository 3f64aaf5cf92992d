# SPDX-License-Identifier: MIT
"""Do communication buffers share memory, and which of their elements?

Memory that an operation writes must be its own until it is complete. A receive buffer must not
overlap itself (MPI-4.1, sections 2.3, 3.7.2 and 5.1.11). All answers are exact for any count.
Addresses, displacements and ranges (start, end) are in bytes.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mpipp.common.errors import AddressError
from mpipp.datatypes import displacement_search, element_address, predefined
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.memory import footprint, intersection, strided_sets
from mpipp.datatypes.memory.elements_at_byte import covering
from mpipp.datatypes.memory.strided_sets import Comb, Range
from mpipp.typetree import Datatype

_MOST_WITHIN = 1024  # elements


@dataclass(frozen=True)
class Buffer:
    """`count` entries of a datatype at an address, 0 for absolute addresses (MPI_BOTTOM)."""

    datatype: Datatype
    count: int
    address: int


@dataclass(frozen=True)
class Region:
    """The bytes of some buffers; `comb` is None if they have none."""

    comb: Comb | None
    buffers: tuple[Buffer, ...] = ()

    @property
    def low(self) -> int:
        """The address of the first byte; 0 if there are none."""
        return self.comb.low if self.comb else 0

    @property
    def high(self) -> int:
        """The address after the last byte; 0 if there are none."""
        return self.comb.high if self.comb else 0

    @property
    def bytes(self) -> int | None:
        """The number of different bytes; None if it is not known without listing too many."""
        if self.comb is None:
            return 0
        if self.buffers and region_overlap(self) is None:
            return sum(buffer.count * buffer.datatype.size for buffer in self.buffers)
        runs = strided_sets.contiguous_runs(self.comb)
        return None if runs is None else sum(end - start for start, end in runs)


@dataclass(frozen=True)
class Overlap:
    """The bytes [start, end) that two elements share.

    Where one buffer overlaps itself, they are displacements in it, else addresses. An element is
    None if it cannot be named because too many interleave there.
    """

    first: Element | None
    second: Element | None
    start: int
    end: int


def region(datatype: Datatype, count: int = 1, address: int = 0) -> Region:
    """The bytes that `count` entries of `datatype` at `address` touch."""
    buffer = Buffer(datatype, count, address)
    return Region(_comb(buffer), (buffer,))


def span(start: int, end: int) -> Region:
    """All bytes from `start` to `end`."""
    return Region(strided_sets.comb(start, end - start, ()))


def union(regions: Iterable[Region]) -> Region:
    """The bytes of all regions: of the parts of a v or w form's buffer."""
    parts = list(regions)
    if len(parts) == 1:
        return parts[0]
    buffers = tuple(buffer for part in parts for buffer in part.buffers)
    return Region(strided_sets.union(part.comb for part in parts), buffers)


def block(start: int, end: int) -> Region:
    """The bytes [start, end)."""
    return Region(strided_sets.comb(start, end - start, ()))


def shared(first: Region, second: Region) -> Range | None:
    """Bytes that both touch, as (start, end); None if there are none."""
    if first.comb is None or second.comb is None:
        return None
    if first.high <= second.low or second.high <= first.low:
        return None
    return intersection.touch(first.comb, second.comb)


def region_overlap(region: Region) -> Range | None:
    """Bytes that two elements of a region's buffers share, as (start, end); None if none do."""
    for buffer in region.buffers:
        found = footprint.self_overlap(buffer.datatype, buffer.count)
        if found:
            return found[0] + buffer.address, found[1] + buffer.address
    if len(region.buffers) < 2:
        return None
    return intersection.shared_by_two(_comb(buffer) for buffer in region.buffers)


def between(first: Buffer, second: Buffer) -> Overlap | None:
    """The bytes that two buffers share, and an element of each with them; None if none."""
    found = shared(Region(_comb(first)), Region(_comb(second)))
    if found is None:
        return None
    start, end = found
    one, other = (
        next(iter(touching(b.datatype, b.count, start - b.address)), None) for b in (first, second)
    )
    return Overlap(one, other, start, end)


def self_overlap(datatype: Datatype, count: int = 1) -> Overlap | None:
    """Two elements of `count` entries that share bytes, and those; None if none do."""
    found = footprint.self_overlap(datatype, count)
    if found is None:
        return None
    both: list[Element | None] = [*touching(datatype, count, found[0])[:2], None, None]
    return Overlap(both[0], both[1], *found)


def touching(datatype: Datatype, count: int, displacement: int) -> list[Element]:
    """The basic elements that touch the byte at a displacement, in type-map order, at most 64.

    Other than `element_address.at_displacement`, a gap inside a pair type does not belong to the
    pair, and nothing there gives an empty list. If too many interleave to find all, two of them are
    returned.
    """
    try:
        found = element_address.at_displacement(datatype, displacement, count)
    except AddressError:
        some = covering(datatype, count, displacement)
        return [element_address.at_indices(datatype, indices) for indices in some]
    return [element for element in found if _has(element, displacement - element.displacement)]


def within(datatype: Datatype, count: int, low: int, high: int) -> list[Element] | None:
    """The basic elements with bytes in [low, high), in type-map order; None: too many.

    One question for all of them: the way to each may be long.
    """
    try:
        places = list(
            itertools.islice(
                displacement_search.covering(datatype, count, low, high - low), _MOST_WITHIN + 1
            )
        )
    except AddressError:
        return None
    if len(places) > _MOST_WITHIN:
        return None
    return element_address.at_each(datatype, places)


def touches(element: Element, displacement: int) -> bool:
    """Return whether a basic element has the byte at a displacement."""
    byte, leaf = displacement - element.displacement, element.datatype
    return leaf.true_lb <= byte < leaf.true_ub and _has(element, byte)


def _comb(buffer: Buffer) -> Comb | None:
    found = footprint.touched(buffer.datatype, buffer.count)
    return found and found.shift(buffer.address)


def _has(element: Element, byte: int) -> bool:
    leaf = element.datatype
    if predefined.value_class(leaf.name) != "pair":
        return True
    value, _, offset = predefined.pair_layout(leaf.name, leaf.size)
    return not value <= byte < offset


class _Entry(NamedTuple):
    key: int
    low: int
    high: int
    start: int
    reach: int  # of what is repeated
    region: Region


class _Entries:
    # Entries of one divisor. A query walks backwards over entries that start before its end, as
    # long as one of them may reach beyond its start.

    def __init__(self) -> None:
        self.by_key: dict[int, _Entry] = {}
        self._sorted: list[_Entry] | None = None
        self._lows: list[int] = []
        self._reached: list[int] = []  # the highest end up to each

    def changed(self) -> None:
        """An entry was added or removed."""
        self._sorted = None

    def meeting(self, low: int, high: int) -> Iterator[_Entry]:
        """Entries whose boxes have bytes in [low, high)."""
        if self._sorted is None:
            self._sorted = sorted(self.by_key.values(), key=lambda entry: entry.low)
            self._lows = [entry.low for entry in self._sorted]
            self._reached = list(itertools.accumulate((e.high for e in self._sorted), max))
        place = bisect.bisect_left(self._lows, high)
        while place and self._reached[place - 1] > low:
            place -= 1
            if self._sorted[place].high > low:
                yield self._sorted[place]


class Index:
    """Many regions, searched for those that share bytes with another.

    They are known by the order in which they were added, from 0 on.
    """

    def __init__(self, regions: Iterable[Region] = ()) -> None:
        self._count = 0
        # By the common divisor of their strides, modulo which all repetitions are in one place.
        self._entries: dict[int, _Entries] = {}
        for added in regions:
            self.add(added)

    def add(self, region: Region) -> int:
        """Add a region; returns the key that queries give."""
        key = self._count
        self._count += 1
        comb = region.comb
        if comb is not None:
            entry = _Entry(key, comb.low, comb.high, comb.start, comb.length, region)
            entries = self._entries.setdefault(_divisor(comb), _Entries())
            entries.by_key[key] = entry
            entries.changed()
        return key

    def remove(self, key: int) -> None:
        """Forget the region that `add` gave a key; one that is not there is no error."""
        for entries in self._entries.values():
            if entries.by_key.pop(key, None):
                entries.changed()

    def query(
        self, region: Region, wanted: Callable[[int], bool] = lambda key: True
    ) -> Iterator[tuple[int, Range]]:
        """The keys, in order, of those that share bytes with `region`, and such bytes.

        The search tests only keys for which `wanted` is true; it calls `wanted` during the search.
        """
        if region.comb is None:
            return
        for entry in sorted(self._near(region.comb), key=lambda entry: entry.key):
            if not wanted(entry.key):
                continue
            found = intersection.touch(entry.region.comb, region.comb)  # type: ignore[arg-type]
            if found:
                yield entry.key, found

    def _near(self, comb: Comb) -> Sequence[_Entry]:
        # Entries whose boxes overlap, also modulo the common divisor of all strides.
        low, high = comb.low, comb.high
        found = []
        for divisor, entries in self._entries.items():
            near = list(entries.meeting(low, high))
            common = math.gcd(divisor, _divisor(comb))
            if common:
                start, reach = comb.start + 1, comb.length - 1
                near = [e for e in near if (e.start + e.reach - start) % common < e.reach + reach]
            found += near
        return found


def _divisor(comb: Comb) -> int:
    return math.gcd(*(stride for _, stride in comb.dims))
