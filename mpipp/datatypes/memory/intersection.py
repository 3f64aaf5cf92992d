# SPDX-License-Identifier: MIT
"""The bytes that two sets of strided blocks share, found exactly without visiting every block.

Two repeated blocks share bytes exactly if a sum of multiples of their strides lies in an interval
(`bounded_sums`). Lists of blocks are sorted and compared, if only few displacements of one against
the other are possible. Otherwise both lists are halved as long as their bounding boxes overlap.
"""

from __future__ import annotations

import bisect
import itertools
import operator
from collections.abc import Iterable

from mpipp.datatypes.memory import strided_sets
from mpipp.datatypes.memory.bounded_sums import Term, solve, sums
from mpipp.datatypes.memory.strided_sets import (
    Comb,
    Listing,
    Pair,
    Range,
    Span,
    byte_count,
    listed,
    runs,
    union,
)

_FEW = 16  # largest number of displacements between two lists that are tried one by one


def touch(first: Comb, second: Comb) -> Range | None:
    """Return bytes that both sets contain: the common part of two blocks, or None."""
    found = meet(first, second)
    return found and found[0]


def meet(
    first: Comb, second: Comb, shifts: tuple[Term, ...] = ()
) -> tuple[Range, tuple[int, ...]] | None:
    """Return bytes that `second` shares with a shifted copy of `first`, and the shift's indices.

    The shifts are further dimensions (count, stride) of `first`, with strides of any sign. None if
    no shift gives common bytes.
    """
    stack = [(first._replace(dims=(*shifts, *first.dims)), second)]
    while stack:
        a, b = stack.pop()
        terms = [*a.dims, *((count, -stride) for count, stride in b.dims)]
        apart = a.start - b.start
        low, high = 1 - a.length - apart, b.length - 1 - apart
        indices = solve(terms, low, high)
        if indices is None:
            continue
        if a.items is None and b.items is None:
            at = a.start + sum(i * stride for i, (_, stride) in zip(indices, a.dims))
            where = at - apart - sum(i * stride for i, (_, stride) in zip(indices, terms))
            common = max(at, where), min(at + a.length, where + b.length)
            return common, tuple(indices[: len(shifts)])
        displacements = _displacements(a, b, terms, low, high)
        if displacements is not None:
            found = _meet_at(a, b, terms, displacements)
            if found:
                return found[0], tuple(found[1][: len(shifts)])
        elif not shifts and _few_blocks(a, b):
            common_range = _common(runs(listed(a)), runs(listed(b)))
            if common_range:
                return common_range, ()
        elif not shifts and (_sieves(a, b) or _sieves(b, a)):
            common_range = _sieved(a, b) if _sieves(a, b) else _sieved(b, a)
            if common_range:
                return common_range, ()
        elif b.items is None or (a.items is not None and a.length >= b.length):
            stack += [(part, b) for part in _inside(a)]
        else:
            stack += [(a, part) for part in _inside(b)]
    return None


def doubled(blocks: list[Range]) -> Range | None:
    """Return bytes that two of the blocks contain, in any order; None if there are none."""
    starts = sorted(start for start, _ in blocks)
    ends = sorted(end for _, end in blocks)
    place = _crossing(starts, ends)
    if place is None:
        return None
    at = starts[place + 1]
    return at, sorted(end for start, end in blocks if start <= at < end)[-2]


def shared_by_two(parts: Iterable[Comb | None]) -> Range | None:
    """Return bytes that two of the parts share, or None. No part may overlap itself."""
    pending = [sorted(filter(None, parts), key=lambda part: (part.low, part.high))]
    while pending:
        some = pending.pop()
        if len(some) < 2 or not _may_share(some):
            continue
        if sum(part.blocks for part in some) <= strided_sets.MOST_LISTED:
            found = doubled([block for part in some for block in listed(part)])
        else:
            halves = some[: len(some) // 2], some[len(some) // 2 :]
            left, right = map(union, halves)
            assert left is not None
            assert right is not None
            found = touch(left, right)
            pending += halves
        if found:
            return found
    return None


def _may_share(parts: list[Comb]) -> bool:
    # Disjoint parts have as many bytes together as the sum of their own.
    if all(a.high <= b.low for a, b in zip(parts, parts[1:])):
        return False
    alone = [byte_count(part) for part in parts]
    together = union(parts)
    assert together is not None
    return None in alone or byte_count(together) != sum(filter(None, alone))


def _inside(part: Comb) -> list[Comb]:
    # The two halves of a list `part`, each repeated as the list is.
    items = part.items
    start = part.start
    if isinstance(items, Pair):
        inner = [items.left, items.right]
    elif isinstance(items, Span):
        middle = (items.first + items.last) // 2
        inner = [
            _span(items.listing, items.first, middle),
            _span(items.listing, middle, items.last),
        ]
        start -= items.listing.starts[items.first]
    else:
        assert items is not None
        inner = [_span(items, 0, len(items.starts))] if items.starts else []
        inner += [items.boxes()] if items.combs else []
    return [
        Comb(start + one.start, one.length, (*part.dims, *one.dims), one.items) for one in inner
    ]


def _span(listing: Listing, first: int, last: int) -> Comb:
    low, high = listing.starts[first], listing.ends[last - 1]
    return Comb(low, high - low, (), Span(listing, first, last) if last > first + 1 else None)


def _displacements(a: Comb, b: Comb, terms: list[Term], low: int, high: int) -> list[int] | None:
    # Displacements between a repetition of `a` and one of `b` at which the two may overlap. None if
    # there are many, or if one repetition has too many blocks to list.
    if _bare(a) is None or _bare(b) is None:
        return None
    return sums(terms, low, high, _FEW)


def _few_blocks(a: Comb, b: Comb) -> bool:
    listable = all(part.items is None or isinstance(part.items, Listing) for part in (a, b))
    return listable and a.blocks + b.blocks <= strided_sets.MOST_LISTED


def _meet_at(
    a: Comb, b: Comb, terms: list[Term], displacements: list[int]
) -> tuple[Range, list[int]] | None:
    first, second = _bare(a), _bare(b)
    assert first is not None
    assert second is not None
    for displacement in displacements:
        found = _common(first, second, a.start + displacement - b.start)
        if found:
            indices = solve(terms, displacement, displacement)
            assert indices is not None
            at = b.start + sum(i * n for i, (_, n) in zip(indices[len(a.dims) :], b.dims))
            return (found[0] + at, found[1] + at), indices
    return None


def _sieves(part: Comb, other: Comb) -> bool:
    # Return whether `part` is one block, repeated in one dimension, and `other` is a list of
    # blocks.
    if part.items is not None or len(part.dims) != 1 or other.dims:
        return False
    return isinstance(other.items, Listing) and other.items.flat() is not None


def _sieved(part: Comb, other: Comb) -> Range | None:
    # Tests each block of the list by its remainder modulo the stride of `part`.
    assert isinstance(other.items, Listing)
    flat = other.items.flat()
    assert flat is not None
    starts, ends = flat.starts, flat.ends
    ((_, stride),) = part.dims
    first, length = part.start - other.start, part.length
    begin = bisect.bisect_right(ends, first)
    stop = bisect.bisect_left(starts, part.high - other.start)
    places = range(begin, stop)
    met = (
        i
        for i, start, end in zip(places, starts[begin:stop], ends[begin:stop])
        if (start - first) % stride < length
        or (start - first) % stride + end - start > stride
        or start < first
    )
    i = next(met, None)
    return None if i is None else touch(part, Comb(other.start + starts[i], ends[i] - starts[i]))


def _bare(part: Comb) -> tuple[list[int], list[int]] | None:
    # One repetition as starts and ends of sorted blocks; None if there are too many.
    items = part.items
    if items is None:
        return [0], [part.length]
    flat = items.flat() if isinstance(items, Listing) else None
    return None if flat is None else (flat.starts, flat.ends)


def _common(
    first: tuple[list[int], list[int]], second: tuple[list[int], list[int]], moved: int = 0
) -> Range | None:
    # Bytes in both of two sorted lists of disjoint blocks; the first list is moved by `moved`
    # bytes.
    (starts, ends), (other_starts, other_ends) = first, second
    low, high = other_starts[0] - moved, other_ends[-1] - moved
    begin, stop = bisect.bisect_right(ends, low), bisect.bisect_left(starts, high)
    if begin >= stop:
        return None
    low, high = starts[begin] + moved, ends[stop - 1] + moved
    other_begin = bisect.bisect_right(other_ends, low)
    other_stop = bisect.bisect_left(other_starts, high)
    ours, others = stop - begin, other_stop - other_begin
    if others <= 0:
        return None
    if ours * _FEW < others:
        for i in range(begin, stop):
            found = _in_block(starts[i] + moved, ends[i] + moved, other_starts, other_ends)
            if found:
                return found
        return None
    if others * _FEW < ours:
        for i in range(other_begin, other_stop):
            found = _in_block(other_starts[i] - moved, other_ends[i] - moved, starts, ends)
            if found:
                return found[0] + moved, found[1] + moved
        return None
    all_starts = [start + moved for start in starts[begin:stop]]
    all_starts += other_starts[other_begin:other_stop]
    all_ends = [end + moved for end in ends[begin:stop]]
    all_ends += other_ends[other_begin:other_stop]
    all_starts.sort()
    all_ends.sort()
    place = _crossing(all_starts, all_ends)
    if place is None:
        return None
    # A block of each list contains this byte, and neither block starts after it.
    at = all_starts[place + 1]
    end = ends[bisect.bisect_right(starts, at - moved) - 1] + moved
    return at, min(end, other_ends[bisect.bisect_right(other_starts, at) - 1])


def _in_block(start: int, end: int, starts: list[int], ends: list[int]) -> Range | None:
    # The bytes that [start, end) shares with the first of the sorted disjoint blocks that overlaps
    # it.
    i = bisect.bisect_right(ends, start)
    if i < len(starts) and starts[i] < end:
        return max(start, starts[i]), min(end, ends[i])
    return None


def _crossing(starts: list[int], ends: list[int]) -> int | None:
    # No two blocks overlap exactly if every end, in sorted order, is at or before the next start.
    # Returns the first place of an end that is behind the next start.
    crossed = map(operator.gt, ends, itertools.islice(starts, 1, None))
    return next(itertools.compress(itertools.count(), crossed), None)
