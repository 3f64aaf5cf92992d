# SPDX-License-Identifier: MIT
"""The places of a datatype's components, for every constructor.

A shape describes the branches of a node of the type-tree; each branch has indices as in an element
address. From the indices of a child, a shape computes its place in memory and in the packed data,
and the reverse, without listing repetitions. There are two shapes: regular copies of one component,
and listed blocks. Displacements and positions are in bytes from the node's own start. Functions
accept the first few indices only; missing ones count as 0. These functions do not check indices.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar, Union

from mpipp.datatypes.distribution import Dimension, undistributed

Indices = tuple[int, ...]


class Component(Protocol):
    """A component datatype, as far as shapes need it."""

    @property
    def size(self) -> int:
        """Bytes of data."""
        ...

    @property
    def extent(self) -> int:
        """Bytes from one copy to the next."""
        ...


_Of = TypeVar("_Of", bound=Component)


class Level(NamedTuple):
    """One address index of regular copies: copy i is at dimension.index(i) * stride."""

    dimension: Dimension
    stride: int  # bytes

    @classmethod
    def of(cls, count: int, stride: int) -> Level:
        """Return a level of `count` copies, `stride` bytes apart."""
        return cls(undistributed(count), stride)

    def position(self, i: int) -> int:
        """Return the displacement of copy `i` in bytes."""
        return self.dimension.index(i) * self.stride


class Regular(Generic[_Of]):
    """Regular copies of one component: all combiners except struct and the indexed family.

    `order` is the order of an array, MPI_ORDER_C or MPI_ORDER_FORTRAN. `dimensions` are in the
    declared order. In C order the last index changes fastest, in Fortran order the first.
    """

    __slots__ = ("_component", "_levels", "order", "stages")

    def __init__(self, component: _Of, levels: tuple[Level, ...], order: str = "") -> None:
        self._component = component
        self._levels = levels
        self.order = order
        self.stages = len(levels)  # number of indices of a component

    def levels(self) -> tuple[Level, ...]:
        """Return a level for each index."""
        return self._levels

    def component(self, indices: Indices) -> _Of:
        """Return the component at `indices`."""
        return self._component

    def branching(self, prefix: Indices) -> int:
        """Return the number of values that the index after `prefix` can take."""
        return self._levels[len(prefix)].dimension.count

    def displacement(self, indices: Indices) -> int:
        """Return the displacement in memory, in bytes."""
        at = 0
        for i, (dimension, stride) in zip(self._full(indices), self._levels):
            at += dimension.index(i) * stride
        return at

    def packed(self, indices: Indices) -> int:
        """Return the bytes of packed data before `indices`, in type-map order."""
        copy = 0
        pairs = list(zip(self._levels, self._full(indices)))
        # The index that varies slowest in the type map comes first.
        for (dimension, _), index in reversed(pairs) if self.order == "FORTRAN" else pairs:
            copy = copy * dimension.count + index
        return copy * self._component.size

    def at_packed(self, position: int) -> tuple[Indices, int]:
        """Return the indices of the component with packed byte `position`, and the offset in it."""
        copy, rest = divmod(position, self._component.size)
        indices: Indices = ()
        if self.order == "FORTRAN":
            for dimension, _ in self._levels:
                copy, index = divmod(copy, dimension.count)
                indices += (index,)
        else:
            for dimension, _ in self._levels[::-1]:
                copy, index = divmod(copy, dimension.count)
                indices = (index, *indices)
        return indices, rest

    def spans(self) -> Iterator[tuple[_Of, int, int]]:
        """Yield components with the lowest and the highest displacement of their copies."""
        low = high = 0
        for dimension, stride in self._levels:
            if not dimension.count:
                return
            first, last = dimension.first * stride, dimension.last * stride
            low += first if stride > 0 else last
            high += last if stride > 0 else first
        yield self._component, low, high

    def copies(self) -> Iterator[tuple[_Of, int]]:
        """Yield components with the number of their copies."""
        total = 1
        for level in self._levels:
            total *= level.dimension.count
        yield self._component, total

    def _full(self, indices: Indices) -> Indices:
        left = self.stages - len(indices)
        return indices + (0,) * left if left else indices


class Blocks(Generic[_Of]):
    """Blocks listed one by one: struct and the indexed family.

    `displacements` are multiples of `unit` bytes. `lengths` and `components` have one entry for
    each block, or a single entry for all. The methods are those of `Regular`; `component` needs the
    block's index.
    """

    __slots__ = ("_starts", "components", "displacements", "index", "lengths", "unit")
    order = ""
    stages = 2

    def __init__(
        self,
        components: Sequence[_Of],
        lengths: Sequence[int],
        displacements: Sequence[int],
        unit: int,
    ) -> None:
        self.components = components
        self.lengths = lengths
        self.displacements = displacements
        self.unit = unit
        self._starts: list[int] | None = None
        self.index: object = None  # set by `displacement_search`: the sorted blocks

    def component(self, indices: Indices) -> _Of:
        return self.components[indices[0] if len(self.components) > 1 else 0]

    def branching(self, prefix: Indices) -> int:
        return self.length(prefix[0]) if prefix else len(self.displacements)

    def length(self, block: int) -> int:
        """Return the number of copies in block `block`."""
        return self.lengths[block if len(self.lengths) > 1 else 0]

    def displacement(self, indices: Indices) -> int:
        if not indices:
            return 0
        block, item = _pair(indices)
        start = self.displacements[block] * self.unit
        return start + item * self.component(indices).extent if item else start

    def packed(self, indices: Indices) -> int:
        if not indices:
            return 0
        block, item = _pair(indices)
        return self._packed_starts()[block] + item * self.component(indices).size

    def at_packed(self, position: int) -> tuple[Indices, int]:
        # Empty blocks start where the next block starts. The last one with this start is not empty.
        starts = self._packed_starts()
        block = bisect.bisect_right(starts, position) - 1
        item, rest = divmod(position - starts[block], self.component((block,)).size)
        return (block, item), rest

    def _packed_starts(self) -> list[int]:
        if self._starts is None:
            sizes = {component: component.size for component in set(self.components)}
            blocks = [length * sizes[component] for component, _, length in self.blocks()]
            self._starts = [0, *itertools.accumulate(blocks)]
        return self._starts

    def blocks(self) -> Iterator[tuple[_Of, int, int]]:
        """Yield the component, displacement in bytes, and length of every block."""
        unit = self.unit
        count = len(self.displacements)
        components, lengths = self.components, self.lengths
        return zip(
            components if len(components) == count else itertools.repeat(components[0]),
            (displacement * unit for displacement in self.displacements),
            lengths if len(lengths) == count else itertools.repeat(lengths[0]),
        )

    def spans(self) -> Iterator[tuple[_Of, int, int]]:
        if len(self.components) == 1:
            # One span for all blocks: there may be millions.
            extent, unit, lengths = self.components[0].extent, self.unit, self.lengths
            every = lengths if len(lengths) == len(self.displacements) else itertools.cycle(lengths)
            blocks = [(d * unit, n) for d, n in zip(self.displacements, every) if n]
            firsts = [start for start, _ in blocks]
            lasts = [start + (length - 1) * extent for start, length in blocks]
            if blocks:
                low, high = min(min(firsts), min(lasts)), max(max(firsts), max(lasts))
                yield self.components[0], low, high
            return
        # One span for each different component and length.
        found: dict[tuple[_Of, int], list[int]] = {}
        for component, displacement, length in self.blocks():
            if length:
                found.setdefault((component, length), []).append(displacement)
        for (component, length), displacements in found.items():
            reach = (length - 1) * component.extent
            yield (
                component,
                min(displacements) + min(0, reach),
                max(displacements) + max(0, reach),
            )

    def copies(self) -> Iterator[tuple[_Of, int]]:
        if len(self.components) == 1:
            total = sum(self.lengths)
            if len(self.lengths) != len(self.displacements):
                total *= len(self.displacements)
            yield self.components[0], total
        else:
            for component, _, length in self.blocks():
                yield component, length


Shape = Union[Regular[_Of], Blocks[_Of]]


def _pair(indices: Indices) -> tuple[int, int]:
    return (indices[0] if indices else 0), (indices[1] if len(indices) > 1 else 0)
