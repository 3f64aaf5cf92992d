# SPDX-License-Identifier: MIT
"""Search for the basic elements at a displacement, without expanding the type map.

A chain of regular constructors is a product of dimensions (count, stride). The search selects an
index for the widest stride first and for the narrowest last, regardless of their order in the tree.
Each step divides by the stride and uses the bounding box of the remaining dimensions. So the column
of a matrix is found as fast as its row. Listed blocks are found by bisection. Addresses are index
tuples as in `element_address`; displacements are in bytes.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from typing import NamedTuple

from mpipp.common.errors import AddressError
from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes.shapes import Blocks, Indices, Level
from mpipp.typetree import Datatype

_MOST_STEPS = 200_000  # in one search, which takes a second or two
_FAR = 1 << 200  # beyond any displacement


class _Path(NamedTuple):
    # The way from the root to the current node. A linked list, because it may have 10^4 parts.
    before: _Path | None
    indices: Indices

    def all(self) -> Indices:
        """Return the indices from the root to here."""
        parts = []
        step: _Path | None = self
        while step is not None:
            parts.append(step.indices)
            step = step.before
        return tuple(itertools.chain.from_iterable(reversed(parts)))


@dataclass
class _Search:
    # The state of one search by `nearest` or `covering`. For `nearest`, `found` is the nearest
    # element so far, and `best` the displacement of its first byte.
    width: int = 1  # size of the searched range of bytes
    steps: int = 0
    best: int | None = None
    found: _Path | None = None

    def step(self) -> None:
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise AddressError(
                "this datatype interleaves too many blocks there to name the element: use a "
                "position in the packed data instead"
            )


# The search is recursive but without Python's recursion. A step yields the deeper search as another
# iterator, and `_driven` keeps the stack.
_Work = Iterator["_Work | _Path"]


class _Part(NamedTuple):
    # Regular levels (in address order), below which lie a basic datatype or listed blocks. One copy
    # of `end` has its data in [low, high), and its elements start in [start, last].
    levels: tuple[Level, ...]
    end: Datatype
    low: int
    high: int
    start: int
    last: int


class _BlockIndex(NamedTuple):
    # Listed blocks, sorted by the start of their bounding box. `highs` has the highest end of the
    # boxes up to each block.
    lows: list[int]
    highs: list[int]
    blocks: list[int]


def covering(
    datatype: Datatype, count: int, displacement: int, width: int = 1
) -> Iterator[Indices]:
    """Yield the elements of `count` entries that hold any of `width` bytes from `displacement` on.

    Each element is (repetition, index, ...). The order is arbitrary.
    """
    if count and datatype.element_count:
        work = _covering(_Search(width), _part(datatype, count), displacement, None)
        yield from (path.all() for path in _driven(work))


def nearest(datatype: Datatype, count: int, displacement: int, side: int) -> Indices | None:
    """Return the last element that starts at or before `displacement`, or the first after it.

    Args:
        side: -1 for the element at or before the displacement, +1 for the one after it.
    """
    if not count or not datatype.element_count:
        return None
    limit = displacement if side < 0 else displacement + 1
    search = _Search()
    for _ in _driven(_nearest(search, _part(datatype, count), limit, 0, side, None)):
        pass  # the search itself keeps the best element
    return search.found and search.found.all()


def _driven(work: _Work) -> Iterator[_Path]:
    # Depth first, with a stack in place of recursion: a chain of constructors may be very long.
    stack = [work]
    while stack:
        for step in stack[-1]:
            if isinstance(step, _Path):
                yield step
                continue
            stack.append(step)
            break
        else:
            stack.pop()


def _part(datatype: Datatype, count: int) -> _Part:
    # Describes `count` copies of `datatype`.
    levels = [Level.of(count, datatype.extent)]
    while not datatype.is_leaf:
        shape = datatype.shape
        if isinstance(shape, Blocks):
            break
        levels.extend(shape.levels())
        datatype = datatype.components[0]
    low, high = datatype.true_lb, datatype.true_ub
    # An element starts no later than one byte before the end of the data.
    start, last = (0, 0) if datatype.is_leaf else (low, high - 1)
    return _Part(tuple(levels), datatype, low, high, start, last)


def _between(level: Level, low: int, high: int) -> range:
    # The indices whose positions are in [low, high]. A datatype with a negative stride runs
    # backwards; then everything is negated.
    dimension, stride = level
    if stride == 0:
        return range(dimension.count if low <= 0 <= high else 0)
    if stride < 0:
        low, high, stride = -high, -low, -stride
    first = dimension.at_or_below(-(-low // stride) - 1) + 1
    return range(first, dimension.at_or_below(high // stride) + 1)


class _Order(NamedTuple):
    # The levels of a part in the order of the search. A level with a single index needs no search;
    # `fixed` is the sum of the displacements of these levels. `bounds` has the lowest and the
    # highest displacement that each level and all later ones can add.
    levels: list[int]
    bounds: list[tuple[int, int]]
    fixed: int


def _widest_first(part: _Part) -> _Order:
    single = [level for level in part.levels if level.dimension.count == 1]
    several = [k for k, level in enumerate(part.levels) if level.dimension.count != 1]
    several.sort(key=lambda k: -abs(part.levels[k].stride))
    bounds = [(0, 0)]
    for k in reversed(several):
        level = part.levels[k]
        ends = level.position(0), level.position(level.dimension.count - 1)
        bounds.append((bounds[-1][0] + min(ends), bounds[-1][1] + max(ends)))
    bounds.reverse()
    return _Order(several, bounds, sum(level.position(0) for level in single))


def _covering(search: _Search, part: _Part, wanted: int, path: _Path | None) -> _Work:
    order = _widest_first(part)
    chosen = [0] * len(part.levels)
    low = part.low - search.width + 1  # data from here on can reach the displacement

    def descend(depth: int, rest: int) -> _Work:
        search.step()
        if depth == len(order.levels):
            here = _Path(path, tuple(chosen))
            if not part.end.is_leaf:
                yield _covering_blocks(search, part.end, rest, here)
            elif low <= rest < part.high:
                yield here
            return
        k = order.levels[depth]
        below_low, below_high = order.bounds[depth + 1]
        lowest, highest = below_low + low, below_high + part.high - 1
        for i in _between(part.levels[k], rest - highest, rest - lowest):
            chosen[k] = i
            yield descend(depth + 1, rest - part.levels[k].position(i))

    return descend(0, wanted - order.fixed)


def _covering_blocks(search: _Search, node: Datatype, rest: int, path: _Path) -> _Work:
    while True:
        shape = node.shape
        assert isinstance(shape, Blocks)
        index = _block_index(shape)
        last = bisect.bisect_right(index.lows, rest + search.width - 1)
        first = last
        while first > 0 and index.highs[first - 1] > rest:
            first -= 1
            search.step()
        # Structs of few blocks may form a long chain: follow it without a new search for each.
        block = index.blocks[first] if last - first == 1 else -1
        if block < 0 or shape.length(block) != 1:
            break
        node = shape.component((block,))
        if node.is_leaf or not isinstance(node.shape, Blocks):
            break
        rest -= shape.displacement((block,))
        path = _Path(path, (block, 0))
    for block in reversed(index.blocks[first:last]):
        inner = _part(shape.component((block,)), shape.length(block))
        start = shape.displacement((block,))
        yield _covering(search, inner, rest - start, _Path(path, (block,)))


def _nearest(
    search: _Search, part: _Part, limit: int, base: int, side: int, path: _Path | None
) -> _Work:
    # Branch and bound over the starts of elements: the largest <= limit for side -1, the smallest
    # >= limit for side +1. `base` is the displacement of this part, for the comparison with the
    # best.
    order = _widest_first(part)
    chosen = [0] * len(part.levels)

    def descend(depth: int, rest: int) -> _Work:
        search.step()
        at = base + limit - rest
        if depth == len(order.levels):
            here = _Path(path, tuple(chosen))
            if not part.end.is_leaf:
                yield _nearest_blocks(search, part.end, rest, at, side, here)
            elif (rest >= 0 if side < 0 else rest <= 0) and _is_nearer(search, at, side):
                search.best, search.found = at, here
            return
        k = order.levels[depth]
        level = part.levels[k]
        first = order.bounds[depth + 1][0] + part.start
        last = order.bounds[depth + 1][1] + part.last
        if side < 0:
            indices = _between(level, -_FAR, rest - first)
        else:
            indices = _between(level, rest - last, _FAR)
        towards = indices if (level.stride < 0) == (side < 0) else reversed(indices)
        for i in towards:
            position = level.position(i)
            if not _is_nearer(search, at + position + (last if side < 0 else first), side):
                return
            chosen[k] = i
            yield descend(depth + 1, rest - position)

    return descend(0, limit - order.fixed)


def _is_nearer(search: _Search, start: int, side: int) -> bool:
    return search.best is None or (start - search.best) * side < 0


def _nearest_blocks(
    search: _Search, node: Datatype, rest: int, at: int, side: int, path: _Path
) -> _Work:
    shape = node.shape
    assert isinstance(shape, Blocks)
    index = _block_index(shape)
    if side < 0:
        # Boxes that start at or before the limit, the last one first. `highs` bounds how far the
        # earlier boxes reach.
        places = range(bisect.bisect_right(index.lows, rest) - 1, -1, -1)
    else:
        # Boxes that end after the limit. `highs` never decreases, so bisection finds the first.
        places = range(bisect.bisect_right(index.highs, rest), len(index.lows))
    for place in places:
        if not _is_nearer(
            search, at + (index.highs[place] - 1 if side < 0 else index.lows[place]), side
        ):
            break
        search.step()
        block = index.blocks[place]
        start = shape.displacement((block,))
        inner = _part(shape.component((block,)), shape.length(block))
        yield _nearest(search, inner, rest - start, at + start, side, _Path(path, (block,)))


def _block_index(shape: Blocks[Datatype]) -> _BlockIndex:
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
