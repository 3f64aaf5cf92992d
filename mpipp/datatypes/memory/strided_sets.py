# SPDX-License-Identifier: MIT
"""Sets of bytes that are too large to list, as strided blocks.

A `Comb` is a set of bytes. Such a set is a block repeated in any number of dimensions (count,
stride), or a list of different blocks and sets repeated in these. Each set has a normal form:
strides are positive and wider than the block, and adjacent blocks and continuing dimensions are
merged. Equal repetitions are listed once. All numbers are bytes, and integers of any size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Union

from mpipp.datatypes.memory.bounded_sums import Term

MOST_LISTED = 200_000  # largest number of blocks that are listed one by one
_FLAT = 16  # a list with at most this number of parts is copied into the list around it

Range = tuple[int, int]  # start and end of a range of bytes


class Comb(NamedTuple):
    """`length` bytes at `start`, repeated in `dims` (count, stride), or `items` repeated instead.

    Items lie in [0, length), relative to the start of each repetition.
    """

    start: int
    length: int
    dims: tuple[Term, ...] = ()
    items: Items | None = None

    @property
    def low(self) -> int:
        """The position of the set's first byte."""
        return self.start

    @property
    def high(self) -> int:
        """The position behind the set's last byte."""
        return self.start + self.length + sum((count - 1) * stride for count, stride in self.dims)

    @property
    def copies(self) -> int:
        """The number of repetitions of the block or the items."""
        return math.prod(count for count, _ in self.dims)

    @property
    def blocks(self) -> int:
        """The number of blocks, each counted as often as it is repeated."""
        return self.copies * (1 if self.items is None else self.items.blocks)

    def shift(self, by: int) -> Comb:
        """Return a copy, moved by `by` bytes."""
        return self._replace(start=self.start + by)


class Listing:
    """A list of different blocks, sorted and without contact, and of `combs` of any form.

    The blocks are [starts[i], ends[i]).
    """

    __slots__ = ("_boxes", "blocks", "combs", "ends", "known", "starts")

    def __init__(self, starts: list[int], ends: list[int], combs: tuple[Comb, ...]) -> None:
        self.starts = starts
        self.ends = ends
        self.combs = combs
        self.blocks = len(starts) + sum(comb.blocks for comb in combs)
        self.known: Listing | None = None if combs else self  # the result of `flat`
        self._boxes: Comb | None = None

    def flat(self) -> Listing | None:
        """Return the bytes as blocks only, or None if there are more than MOST_LISTED."""
        if self.known is None and self.blocks <= MOST_LISTED:
            self.known = Listing(*runs(listed(Comb(0, 1, (), self))), ())
        return self.known

    def boxes(self) -> Comb:
        """Return the set as a binary tree of bounding boxes."""
        if self._boxes is None:
            self._boxes = _tree(self.combs)
        return self._boxes


class Span(NamedTuple):
    """The blocks [first, last) of a listing."""

    listing: Listing
    first: int
    last: int

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return self.last - self.first


class Pair(NamedTuple):
    """Two halves of a tree of bounding boxes."""

    left: Comb
    right: Comb

    @property
    def blocks(self) -> int:
        """The number of blocks in both."""
        return self.left.blocks + self.right.blocks


Items = Union[Listing, Span, Pair]


def comb(start: int, length: int, dims: Iterable[Term], items: Items | None = None) -> Comb | None:
    """Return the set of bytes with these dimensions, whose strides may have any sign and order;
    None if it is empty."""
    plain = []
    for count, stride in dims:
        if count <= 0:
            return None
        if stride < 0:
            start += (count - 1) * stride
            stride = -stride
        if count > 1 and stride:
            plain.append((stride, count))
    if length <= 0:
        return None
    plain.sort()
    merged: list[tuple[int, int]] = []
    for stride, count in plain:
        if items is None and not merged and stride <= length:
            length += (count - 1) * stride
            continue
        for place, (narrow, before) in enumerate(merged):
            factor, rest = divmod(stride, narrow)
            if not rest and factor <= before:
                merged[place] = narrow, before + factor * (count - 1)
                break
        else:
            merged.append((stride, count))
    return Comb(start, length, tuple((count, stride) for stride, count in merged), items)


def repeat(base: Comb | None, dims: Iterable[Term], start: int = 0) -> Comb | None:
    """Return `base`, moved by `start` and repeated in further dimensions."""
    if base is None:
        return None
    return comb(base.start + start, base.length, (*base.dims, *dims), base.items)


def union(
    parts: Iterable[Comb | None], blocks: dict[tuple[Term, ...], list[Range]] | None = None
) -> Comb | None:
    """Return the bytes of all parts together, and of `blocks` as in `listing`."""
    blocks = {} if blocks is None else blocks
    copies: list[Comb] = []
    for part in parts:
        for piece in () if part is None else _pieces(part):
            if piece.items is None:
                box = piece.start, piece.start + piece.length
                blocks.setdefault(piece.dims, []).append(box)
            else:
                copies.append(piece)
    return listing(blocks, copies)


def listing(blocks: dict[tuple[Term, ...], list[Range]], combs: Iterable[Comb] = ()) -> Comb | None:
    """Return the bytes of the blocks, which are grouped by their dimensions, and of the other sets.

    Empties the dict `blocks`.
    """
    others = list(_series(combs))
    plain = blocks.pop((), [])
    while blocks:
        # Begins with the most dimensions: blocks of fewer dimensions may fill the gaps between
        # repetitions.
        dims = max(blocks, key=len)
        starts, ends = runs(blocks.pop(dims))
        for part in _progressions(starts, ends, dims):
            if part.items is None and part.dims != dims and len(part.dims) <= len(dims):
                blocks.setdefault(part.dims, []).append((part.start, part.start + part.length))
            else:
                others.append(part)
        plain += blocks.pop((), [])
    starts, ends = runs(plain)
    regular = _progressions(starts, ends, ())
    if all(part.items is None for part in regular):
        others += (part for part in regular if part.dims)
        starts = [part.start for part in regular if not part.dims]
        ends = [part.high for part in regular if not part.dims]
    if len(others) + len(starts) <= 1:
        return others[0] if others else Comb(starts[0], ends[0] - starts[0]) if starts else None
    low = min([*starts[:1], *(part.low for part in others)])
    high = max([*ends[-1:], *(part.high for part in others)])
    if low:
        starts, ends = [start - low for start in starts], [end - low for end in ends]
    moved = tuple(part.shift(-low) for part in sorted(others, key=_place))
    return Comb(low, high - low, (), Listing(starts, ends, moved))


def listed(part: Comb) -> list[Range]:
    """Return every block as (start, end), in any order; they may touch or overlap.

    Call it only for few blocks.
    """
    found: list[Range] = []
    pending = [part]
    while pending:
        part = pending.pop()
        starts = [part.start]
        for count, stride in part.dims:
            starts = [start + i * stride for start in starts for i in range(count)]
        items = part.items
        if items is None:
            found += [(start, start + part.length) for start in starts]
            continue
        assert isinstance(items, Listing)
        flat = items if items.known is None else items.known
        for low, high in zip(flat.starts, flat.ends):
            found += [(start + low, start + high) for start in starts]
        pending += [inner.shift(start) for inner in flat.combs for start in starts]
    return found


def contiguous_runs(part: Comb) -> list[Range] | None:
    """Return the contiguous runs of bytes as (start, end), sorted; None if over MOST_LISTED."""
    return None if part.blocks > MOST_LISTED else list(zip(*runs(listed(part))))


def run_count(part: Comb | None) -> int | None:
    """Return the number of contiguous runs; None if counting them would mean listing too many."""
    if part is None:
        return 0
    starts = _starts(part)
    if starts is None:
        exact = contiguous_runs(part)
        return None if exact is None else len(exact)
    found, reach = len(starts), part.length
    for count, stride in sorted(part.dims, key=lambda dim: dim[1]):
        found = count * found - (count - 1 if stride == reach else 0)
        reach += (count - 1) * stride
    return found


def byte_count(part: Comb) -> int | None:
    """Return the number of bytes; None if counting them would mean listing too many blocks."""
    if _starts(part) is None:
        exact = contiguous_runs(part)
        return None if exact is None else sum(end - start for start, end in exact)
    if part.items is None:
        return part.copies * part.length
    assert isinstance(part.items, Listing)
    flat = part.items.flat()
    assert flat is not None
    return part.copies * (sum(flat.ends) - sum(flat.starts))


def _starts(part: Comb) -> list[int] | None:
    # Starts of the blocks of one repetition. None if a repetition reaches into another one's
    # bounding box, or if there are too many blocks.
    reach = part.length
    for count, stride in sorted(part.dims, key=lambda dim: dim[1]):
        if stride < reach:
            return None
        reach += (count - 1) * stride
    if part.items is None:
        return [0]
    flat = part.items.flat() if isinstance(part.items, Listing) else None
    return None if flat is None else flat.starts


def runs(blocks: list[Range]) -> tuple[list[int], list[int]]:
    """Return starts and ends of the contiguous runs of the blocks. Sorts `blocks`."""
    blocks.sort()
    starts: list[int] = []
    ends: list[int] = []
    last = None
    for start, end in blocks:
        if last is None or start > last:
            if last is not None:
                ends.append(last)
            starts.append(start)
            last = end
        elif end > last:
            last = end
    if last is not None:
        ends.append(last)
    return starts, ends


def _place(part: Comb) -> tuple[int, int, tuple[Term, ...]]:
    return part.start, part.length, part.dims


def _pieces(part: Comb) -> Iterator[Comb]:
    # Yields the items of a part that is a small list without repetition; otherwise the part itself.
    items = part.items
    small = isinstance(items, Listing) and len(items.starts) + len(items.combs) <= _FLAT
    if part.dims or not small:
        yield part
    else:
        assert isinstance(items, Listing)
        for start, end in zip(items.starts, items.ends):
            yield Comb(part.start + start, end - start)
        for inner in items.combs:
            yield inner.shift(part.start)


def _progressions(starts: list[int], ends: list[int], dims: tuple[Term, ...]) -> list[Comb]:
    # Blocks, all repeated in `dims`, as few sets: one for each stretch of equal blocks with equal
    # gaps. If there are too many stretches, the result is one list.
    if not starts:
        return []
    most = max(1, len(starts) // 4)
    found = list(itertools.islice(_stretches(starts, ends), most + 1))
    if len(found) <= most:
        made = [comb(start, length, (*dims, (n, gap))) for start, length, n, gap in found]
        return [part for part in made if part is not None]
    low = starts[0]
    moved = [start - low for start in starts], [end - low for end in ends]
    return [Comb(low, ends[-1] - low, dims, Listing(*moved, ()))]


def _stretches(starts: list[int], ends: list[int]) -> Iterator[tuple[int, int, int, int]]:
    # Stretches of equal blocks at equal distances, each as long as possible from the left. Yields
    # the start, the length of a block, the number of blocks, and their distance.
    i = 0
    while i < len(starts):
        start, length = starts[i], ends[i] - starts[i]
        gap = starts[i + 1] - start if i + 1 < len(starts) else 0
        n = 1
        while (
            i + n < len(starts)
            and starts[i + n] == start + n * gap
            and ends[i + n] - starts[i + n] == length
        ):
            n += 1
        yield start, length, n, gap
        i += n


def _series(combs: Iterable[Comb]) -> Iterator[Comb]:
    # Copies of one list at equal distances become one set with a further dimension.
    groups: dict[tuple[int, tuple[Term, ...]], list[Comb]] = {}
    for part in combs:
        groups.setdefault((id(part.items), part.dims), []).append(part)
    for group in groups.values():
        one = group[0]
        starts = sorted({part.start for part in group})
        stretches = list(itertools.islice(_stretches(starts, starts), 2))
        if len(stretches) == 1:
            series = comb(starts[0], one.length, (*one.dims, stretches[0][2:]), one.items)
            assert series is not None
            yield series
        else:
            yield from (one._replace(start=start) for start in starts)


def _tree(combs: Sequence[Comb]) -> Comb:
    # A binary tree: neighbors in sorted order are paired until one set remains.
    parts = list(combs)
    while len(parts) > 1:
        halves = []
        for i in range(0, len(parts) - 1, 2):
            left, right = parts[i : i + 2]
            low = min(left.low, right.low)
            pair = Pair(left.shift(-low), right.shift(-low))
            halves.append(Comb(low, max(left.high, right.high) - low, (), pair))
        parts = halves + parts[len(halves) * 2 :]
    return parts[0]
