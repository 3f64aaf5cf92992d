# SPDX-License-Identifier: MIT
"""Overlap between communication buffers, and the elements that overlap.

While an operation may write memory, no other operation may use it. A receive buffer must not
overlap itself (MPI-4.1, sections 2.3, 3.7.2 and 5.1.11). All answers are exact for any count.
Addresses, displacements and ranges (start, end) are in bytes.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from mpipp.common.errors import AddressError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes import displacement_search, element_address, predefined
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.memory import footprint, intersection, strided_sets
from mpipp.datatypes.memory.elements_at_byte import covering
from mpipp.datatypes.memory.strided_sets import Comb, Range
from mpipp.typetree import Datatype

_MOST_WITHIN = 1024  # elements that `within` lists


@dataclass(frozen=True)
class Buffer:
    """`count` entries of a datatype at an address, 0 for absolute addresses (MPI_BOTTOM)."""

    datatype: Datatype
    count: int
    address: int


@dataclass(frozen=True)
class Region:
    """The bytes of some buffers; `comb` is None if there are none."""

    comb: Comb | None
    buffers: tuple[Buffer, ...] = ()

    @property
    def low(self) -> int:
        """The address of the first byte; 0 if there is none."""
        return self.comb.low if self.comb else 0

    @property
    def high(self) -> int:
        """The address behind the last byte; 0 if there is none."""
        return self.comb.high if self.comb else 0

    @property
    def bytes(self) -> int | None:
        """The number of different bytes; None if counting would mean listing too many blocks."""
        if self.comb is None:
            return 0
        if self.buffers and region_overlap(self) is None:
            return sum(buffer.count * buffer.datatype.size for buffer in self.buffers)
        runs = strided_sets.contiguous_runs(self.comb)
        return None if runs is None else sum(end - start for start, end in runs)


@dataclass(frozen=True)
class Overlap:
    """The bytes [start, end) that two elements share.

    `start` and `end` are addresses, or displacements if one buffer overlaps itself. An element is
    None if too many elements interleave there to name it.
    """

    first: Element | None
    second: Element | None
    start: int
    end: int


def region(datatype: Datatype, count: int = 1, address: int = 0) -> Region:
    """Return the bytes that `count` entries of `datatype` at `address` touch."""
    buffer = Buffer(datatype, count, address)
    return Region(_comb(buffer), (buffer,))


def span(start: int, end: int) -> Region:
    """Return all bytes from `start` to `end` as a region."""
    return Region(strided_sets.comb(start, end - start, ()))


def union(regions: Iterable[Region]) -> Region:
    """Return the bytes of all regions, such as the parts of a buffer of MPI_Alltoallv."""
    parts = list(regions)
    if len(parts) == 1:
        return parts[0]
    buffers = tuple(buffer for part in parts for buffer in part.buffers)
    return Region(strided_sets.union(part.comb for part in parts), buffers)


def block(start: int, end: int) -> Region:
    """Return the bytes [start, end) as a region."""
    return Region(strided_sets.comb(start, end - start, ()))


def shared(first: Region, second: Region) -> Range | None:
    """Return some bytes that both regions touch, as (start, end); None if there are none."""
    if first.comb is None or second.comb is None:
        return None
    if first.high <= second.low or second.high <= first.low:
        return None
    return intersection.touch(first.comb, second.comb)


def region_overlap(region: Region) -> Range | None:
    """Return some bytes that two elements of a region's buffers share, or None.

    The bytes are (start, end).
    """
    for buffer in region.buffers:
        found = footprint.self_overlap(buffer.datatype, buffer.count)
        if found:
            return found[0] + buffer.address, found[1] + buffer.address
    if len(region.buffers) < 2:
        return None
    return intersection.shared_by_two(_comb(buffer) for buffer in region.buffers)


def between(first: Buffer, second: Buffer) -> Overlap | None:
    """Return bytes that two buffers share, and an element of each that holds them, or None."""
    found = shared(Region(_comb(first)), Region(_comb(second)))
    if found is None:
        return None
    start, end = found
    one, other = (
        next(iter(touching(b.datatype, b.count, start - b.address)), None) for b in (first, second)
    )
    return Overlap(one, other, start, end)


def self_overlap(datatype: Datatype, count: int = 1) -> Overlap | None:
    """Return two elements of `count` entries that share bytes, with the bytes, or None."""
    found = footprint.self_overlap(datatype, count)
    if found is None:
        return None
    both: list[Element | None] = [*touching(datatype, count, found[0])[:2], None, None]
    return Overlap(both[0], both[1], *found)


def touching(datatype: Datatype, count: int, displacement: int) -> list[Element]:
    """Return the basic elements that touch the byte at a displacement, in type-map order.

    At most 64 are returned. This function differs from `element_address.at_displacement` in two
    ways. A gap inside a pair type does not belong to the pair, and a byte without an element gives
    an empty list. If too many elements interleave to find all, two of them are returned.
    """
    try:
        found = element_address.at_displacement(datatype, displacement, count)
    except AddressError:
        some = covering(datatype, count, displacement)
        return [element_address.at_indices(datatype, indices) for indices in some]
    return [element for element in found if _has(element, displacement - element.displacement)]


def within(datatype: Datatype, count: int, low: int, high: int) -> list[Element] | None:
    """Return the basic elements with bytes in [low, high), in type-map order; None: too many.

    One search finds all of them, because the way to each may be long.
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
    """Return whether a basic element holds the byte at a displacement."""
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
    reach: int  # bytes of the block or list that is repeated
    region: Region


class _Entries:
    # Regions whose strides have the same greatest common divisor. A query walks backwards over
    # entries that start before its end, as long as some earlier entry may reach beyond its start.

    def __init__(self) -> None:
        self.by_key: dict[int, _Entry] = {}
        self._sorted: list[_Entry] | None = None
        self._lows: list[int] = []
        self._reached: list[int] = []  # the highest end of all entries up to each

    def changed(self) -> None:
        """Note that an entry was added or removed."""
        self._sorted = None

    def meeting(self, low: int, high: int) -> Iterator[_Entry]:
        """Yield the entries whose bounding boxes have bytes in [low, high)."""
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
    """An index of many regions: it finds those that share bytes with another region.

    A region's key is its ordinal number, counted from 0 in the order of `add`.
    """

    def __init__(self, regions: Iterable[Region] = ()) -> None:
        self._count = 0
        # Keyed by the common divisor of a region's strides. Modulo the divisor all repetitions of a
        # region coincide, so one comparison excludes most regions.
        self._entries: dict[int, _Entries] = {}
        for added in regions:
            self.add(added)

    def add(self, region: Region) -> int:
        """Add a region, and return its key."""
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
        """Remove a region by its key; an unknown key is ignored."""
        for entries in self._entries.values():
            if entries.by_key.pop(key, None):
                entries.changed()

    def query(
        self, region: Region, wanted: Callable[[int], bool] = lambda key: True
    ) -> Iterator[tuple[int, Range]]:
        """Yield the keys of the regions that share bytes with `region`, in order, and such bytes.

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
        # Entries whose bounding boxes overlap, and overlap also modulo the common divisor of all
        # strides.
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
