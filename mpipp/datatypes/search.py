# SPDX-License-Identifier: MIT
"""Which basic elements lie at a memory displacement? Searching a type map without expanding it.

A chain of regular constructors is a product of combs (count, stride). They are searched from the
widest stride to the narrowest, whatever their order in the tree, each step by division and with the
bounding box of what is left: so the column of a matrix is found as fast as its row. Listed blocks
are found by bisection. Addresses are index tuples as in `elements`; displacements are in bytes.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mpipp.datatypes.blocks import Blocks, Grid, Indices, Run, Strided
from mpipp.datatypes.distribution import Dimension
from mpipp.errors import AddressError
from mpipp.typetree import Datatype

_MOST_STEPS = 200_000  # of one question: a second or two
_FAR = 1 << 200  # beyond any displacement


class _Level(NamedTuple):
    # One address index: index i is at displacement dimension.index(i) * stride.
    dimension: Dimension
    stride: int

    def position(self, i: int) -> int:
        return self.dimension.index(i) * self.stride

    def bounds(self) -> tuple[int, int]:
        ends = self.position(0), self.position(self.dimension.count - 1)
        return min(ends), max(ends)

    def between(self, low: int, high: int) -> range:
        # The indices whose positions are in [low, high]. All strides are positive or 0 but in
        # datatypes that run backwards, for which everything is negated.
        stride = self.stride
        if stride == 0:
            return range(self.dimension.count if low <= 0 <= high else 0)
        if stride < 0:
            low, high, stride = -high, -low, -stride
        first = self.dimension.at_or_below(-(-low // stride) - 1) + 1
        return range(first, self.dimension.at_or_below(high // stride) + 1)


@dataclass
class _Search:
    # One question. `best` is the nearest start so far for `nearest`.
    steps: int = 0
    best: int | None = None

    def step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise AddressError(
                "this datatype interleaves too many blocks there to name the element: "
                "ask for a position in the packed data instead"
            )


class _Part(NamedTuple):
    # Regular levels (in address order), below which lie a basic datatype or listed blocks.
    # [low, high) contains the data below the levels, [start, last] the starts of its elements.
    levels: tuple[_Level, ...]
    end: Datatype
    low: int
    high: int
    start: int
    last: int


class _BlockIndex(NamedTuple):
    # Listed blocks sorted by the start of their box, with the highest box end so far.
    lows: list[int]
    highs: list[int]
    blocks: list[int]


def covering(datatype: Datatype, count: int, displacement: int) -> Iterator[Indices]:
    """The elements that contain the byte at `displacement` of `count` entries, in any order.

    Each is (repetition, index, ...).
    """
    if count and datatype.element_count:
        yield from _covering(_Search(), _part(datatype, count), displacement)


def nearest(datatype: Datatype, count: int, displacement: int, side: int) -> Indices | None:
    """The element that starts last at or before `displacement` (side -1), or first after (+1)."""
    if not count or not datatype.element_count:
        return None
    limit = displacement if side < 0 else displacement + 1
    return _nearest(_Search(), _part(datatype, count), limit, 0, side)


def _part(datatype: Datatype, count: int) -> _Part:
    # `count` copies of `datatype`.
    levels = [_Level(_range(count), datatype.extent)]
    while not datatype.is_leaf and not isinstance(datatype.shape, Blocks):
        shape = datatype.shape
        component = datatype.components[0]
        if isinstance(shape, Run):
            levels.append(_Level(_range(shape.count), component.extent))
        elif isinstance(shape, Strided):
            levels.append(_Level(_range(shape.count), shape.stride))
            levels.append(_Level(_range(shape.blocklength), component.extent))
        else:
            assert isinstance(shape, Grid)
            levels.extend(map(_Level, shape.dimensions, shape.strides))
        datatype = component
    low, high = datatype.true_lb, datatype.true_ub
    # An element starts no later than one byte before the end of the data.
    start, last = (0, 0) if datatype.is_leaf else (low, high - 1)
    return _Part(tuple(levels), datatype, low, high, start, last)


def _range(count: int) -> Dimension:
    return Dimension(count, 0, count, count)


def _widest_first(part: _Part) -> tuple[list[int], list[tuple[int, int]]]:
    # The order to search the levels in, and the bounds of what each and all after it add.
    order = sorted(range(len(part.levels)), key=lambda k: -abs(part.levels[k].stride))
    bounds = [(0, 0)]
    for k in reversed(order):
        low, high = part.levels[k].bounds()
        bounds.append((bounds[-1][0] + low, bounds[-1][1] + high))
    bounds.reverse()
    return order, bounds


def _covering(search: _Search, part: _Part, wanted: int) -> Iterator[Indices]:
    order, bounds = _widest_first(part)
    chosen = [0] * len(order)

    def descend(depth: int, rest: int) -> Iterator[Indices]:
        search.step()
        if depth == len(order):
            yield from _covering_end(search, part, rest, tuple(chosen))
            return
        level = part.levels[order[depth]]
        below_low, below_high = bounds[depth + 1]
        lowest, highest = below_low + part.low, below_high + part.high - 1
        for i in level.between(rest - highest, rest - lowest):
            chosen[order[depth]] = i
            yield from descend(depth + 1, rest - level.position(i))

    yield from descend(0, wanted)


def _covering_end(search: _Search, part: _Part, rest: int, chosen: Indices) -> Iterator[Indices]:
    if part.end.is_leaf:
        if part.low <= rest < part.high:
            yield chosen
        return
    shape = part.end.shape
    assert isinstance(shape, Blocks)
    index = _block_index(shape)
    at = bisect.bisect_right(index.lows, rest) - 1
    while at >= 0 and index.highs[at] > rest:
        block = index.blocks[at]
        search.step()
        inner = _part(shape.component((block,)), shape.length(block))
        for found in _covering(search, inner, rest - shape.displacement((block,))):
            yield (*chosen, block, *found)
        at -= 1


def _nearest(search: _Search, part: _Part, limit: int, base: int, side: int) -> Indices | None:
    # Branch and bound over the starts of elements: the largest <= limit for side -1, the
    # smallest >= limit for side +1. `base` is where this part starts, for comparing with the best.
    order, bounds = _widest_first(part)
    chosen = [0] * len(order)
    found: Indices | None = None

    def descend(depth: int, rest: int) -> None:
        nonlocal found
        search.step()
        at = base + limit - rest
        if depth == len(order):
            result = _nearest_end(search, part, rest, at, side)
            if result is not None:
                found = (*chosen, *result)
            return
        level = part.levels[order[depth]]
        first, last = bounds[depth + 1][0] + part.start, bounds[depth + 1][1] + part.last
        if side < 0:
            indices = level.between(-_FAR, rest - first)
        else:
            indices = level.between(rest - last, _FAR)
        towards = indices if (level.stride < 0) == (side < 0) else reversed(indices)
        for i in towards:
            position = level.position(i)
            reach = at + position + (last if side < 0 else first)
            if search.best is not None and (search.best - reach) * side <= 0:
                return
            chosen[order[depth]] = i
            descend(depth + 1, rest - position)

    descend(0, limit)
    return found


def _nearest_end(search: _Search, part: _Part, rest: int, at: int, side: int) -> Indices | None:
    if part.end.is_leaf:
        good = rest >= 0 if side < 0 else rest <= 0
        if good and (search.best is None or (at - search.best) * side < 0):
            search.best = at
            return ()
        return None
    shape = part.end.shape
    assert isinstance(shape, Blocks)
    index = _block_index(shape)
    found: Indices | None = None
    if side < 0:
        # Boxes that start at or before the limit, the last first; none before can reach further
        # than `highs` says.
        places = range(bisect.bisect_right(index.lows, rest) - 1, -1, -1)
    else:
        # Boxes that end after the limit: `highs` only grows, so the first is found by bisection.
        places = range(bisect.bisect_right(index.highs, rest), len(index.lows))
    for place in places:
        reach = at + (index.highs[place] - 1 if side < 0 else index.lows[place])
        if search.best is not None and (search.best - reach) * side <= 0:
            break
        search.step()
        block = index.blocks[place]
        start = shape.displacement((block,))
        inner = _part(shape.component((block,)), shape.length(block))
        result = _nearest(search, inner, rest - start, at + start, side)
        if result is not None:
            found = (block, *result)
    return found


def _block_index(shape: Blocks) -> _BlockIndex:
    if shape.index is None:
        boxes = []
        for block, (component, at, length) in enumerate(shape.blocks()):
            if length and component.element_count:
                reach = (length - 1) * component.extent
                low = at + min(0, reach) + component.true_lb
                boxes.append((low, at + max(0, reach) + component.true_ub, block))
        boxes.sort()
        highs = list(itertools.accumulate((high for _, high, _ in boxes), max))
        shape.index = _BlockIndex([box[0] for box in boxes], highs, [box[2] for box in boxes])
    index = shape.index
    assert isinstance(index, _BlockIndex)
    return index
