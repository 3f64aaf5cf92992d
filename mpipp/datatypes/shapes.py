# SPDX-License-Identifier: MIT
"""Where do the components of a datatype lie? One shape for every constructor.

A shape answers, without listing repetitions, how a node of the type-tree branches (one index a
stage, as in an element address), where the child at some indices lies in memory and in the packed
data, and the reverse. Displacements and positions are in bytes from the node's own start. Indices
may be a prefix of the full ones; missing ones count as 0. Indices are not checked here.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from mpipp.datatypes.distribution import Dimension, whole

if TYPE_CHECKING:
    from mpipp.typetree import Datatype

Indices = tuple[int, ...]
_T = TypeVar("_T")


class Level(NamedTuple):
    """One address index of copies that lie regularly: copy i at dimension.index(i) * stride."""

    dimension: Dimension
    stride: int  # bytes

    @classmethod
    def of(cls, count: int, stride: int) -> Level:
        """`count` copies, `stride` bytes apart."""
        return cls(whole(count), stride)

    def position(self, i: int) -> int:
        """The displacement of copy `i`."""
        return self.dimension.index(i) * self.stride


class Shape(Protocol):
    """The arrangement of the components of one derived datatype."""

    @property
    def stages(self) -> int:
        """How many indices lead to a component."""
        ...

    def levels(self) -> tuple[Level, ...] | None:
        """A level for each index; None where blocks are listed, each in a place of its own."""
        ...

    def component(self, indices: Indices) -> Datatype:
        """The component at `indices` (for a struct, at least the block's index)."""
        ...

    def branching(self, prefix: Indices) -> int:
        """How many values the index after `prefix` can take."""
        ...

    def displacement(self, indices: Indices) -> int:
        """Memory displacement in bytes."""
        ...

    def packed(self, indices: Indices) -> int:
        """Bytes of packed data before `indices`, in type-map order."""
        ...

    def at_packed(self, position: int) -> tuple[Indices, int]:
        """The indices of the component that holds packed byte `position`, and the rest in it."""
        ...

    def spans(self) -> Iterator[tuple[Datatype, int, int]]:
        """Components with the lowest and the highest displacement of their copies."""
        ...

    def copies(self) -> Iterator[tuple[Datatype, int]]:
        """Components with the number of their copies."""
        ...


class Run:
    """`count` copies one after the other: contiguous, dup, resized."""

    __slots__ = ("_component", "count")
    stages = 1

    def __init__(self, component: Datatype, count: int) -> None:
        self._component = component
        self.count = count

    def levels(self) -> tuple[Level, ...] | None:
        return (Level.of(self.count, self._component.extent),)

    def component(self, indices: Indices) -> Datatype:
        return self._component

    def branching(self, prefix: Indices) -> int:
        return self.count

    def displacement(self, indices: Indices) -> int:
        return indices[0] * self._component.extent if indices else 0

    def packed(self, indices: Indices) -> int:
        return indices[0] * self._component.size if indices else 0

    def at_packed(self, position: int) -> tuple[Indices, int]:
        index, rest = divmod(position, self._component.size)
        return (index,), rest

    def spans(self) -> Iterator[tuple[Datatype, int, int]]:
        if self.count:
            low, high = sorted((0, (self.count - 1) * self._component.extent))
            yield self._component, low, high

    def copies(self) -> Iterator[tuple[Datatype, int]]:
        yield self._component, self.count


class Strided:
    """`count` blocks of `blocklength` copies, `stride` bytes apart: vector, hvector."""

    __slots__ = ("_component", "blocklength", "count", "stride")
    stages = 2

    def __init__(self, component: Datatype, count: int, blocklength: int, stride: int) -> None:
        self._component = component
        self.count = count
        self.blocklength = blocklength
        self.stride = stride

    def levels(self) -> tuple[Level, ...] | None:
        blocks = Level.of(self.count, self.stride)
        return blocks, Level.of(self.blocklength, self._component.extent)

    def component(self, indices: Indices) -> Datatype:
        return self._component

    def branching(self, prefix: Indices) -> int:
        return self.blocklength if prefix else self.count

    def displacement(self, indices: Indices) -> int:
        block, item = _pair(indices)
        return block * self.stride + item * self._component.extent

    def packed(self, indices: Indices) -> int:
        block, item = _pair(indices)
        return (block * self.blocklength + item) * self._component.size

    def at_packed(self, position: int) -> tuple[Indices, int]:
        copy, rest = divmod(position, self._component.size)
        return divmod(copy, self.blocklength), rest

    def spans(self) -> Iterator[tuple[Datatype, int, int]]:
        if self.count and self.blocklength:
            blocks = (self.count - 1) * self.stride
            items = (self.blocklength - 1) * self._component.extent
            low, high = min(0, blocks) + min(0, items), max(0, blocks) + max(0, items)
            yield self._component, low, high

    def copies(self) -> Iterator[tuple[Datatype, int]]:
        yield self._component, self.count * self.blocklength


class Blocks:
    """Blocks listed one by one: the indexed family, struct.

    `displacements` are multiples of `unit` bytes. `lengths` and `components` hold one entry a
    block, or a single one for all.
    """

    __slots__ = ("_starts", "components", "displacements", "index", "lengths", "unit")
    stages = 2

    def __init__(
        self,
        components: Sequence[Datatype],
        lengths: Sequence[int],
        displacements: Sequence[int],
        unit: int,
    ) -> None:
        self.components = components
        self.lengths = lengths
        self.displacements = displacements
        self.unit = unit
        self._starts: list[int] | None = None
        self.index: object = None  # the search by displacement keeps its sorted blocks here

    def levels(self) -> tuple[Level, ...] | None:
        return None

    def component(self, indices: Indices) -> Datatype:
        return self.components[indices[0] if len(self.components) > 1 else 0]

    def branching(self, prefix: Indices) -> int:
        return self.length(prefix[0]) if prefix else len(self.displacements)

    def length(self, block: int) -> int:
        """The number of copies in block `block`."""
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
        # The last of several blocks with the same start is the one that is not empty.
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

    def blocks(self) -> Iterator[tuple[Datatype, int, int]]:
        """Every block's component, displacement in bytes and length."""
        unit = self.unit
        count = len(self.displacements)
        components, lengths = self.components, self.lengths
        return zip(
            components if len(components) == count else itertools.repeat(components[0]),
            (displacement * unit for displacement in self.displacements),
            lengths if len(lengths) == count else itertools.repeat(lengths[0]),
        )

    def spans(self) -> Iterator[tuple[Datatype, int, int]]:
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
        found: dict[tuple[Datatype, int], list[int]] = {}
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

    def copies(self) -> Iterator[tuple[Datatype, int]]:
        if len(self.components) == 1:
            total = sum(self.lengths)
            if len(self.lengths) != len(self.displacements):
                total *= len(self.displacements)
            yield self.components[0], total
        else:
            for component, _, length in self.blocks():
                yield component, length


class Grid:
    """A product of dimensions in C or Fortran storage order: subarray, darray.

    `strides` are the bytes between neighbours in each dimension, in declared order as `dimensions`.
    """

    __slots__ = ("_component", "dimensions", "fortran", "strides")

    def __init__(
        self,
        component: Datatype,
        dimensions: tuple[Dimension, ...],
        strides: tuple[int, ...],
        fortran: bool,
    ) -> None:
        self._component = component
        self.dimensions = dimensions
        self.strides = strides
        self.fortran = fortran

    @property
    def stages(self) -> int:
        return len(self.dimensions)

    def levels(self) -> tuple[Level, ...] | None:
        return tuple(map(Level, self.dimensions, self.strides))

    def component(self, indices: Indices) -> Datatype:
        return self._component

    def branching(self, prefix: Indices) -> int:
        return self.dimensions[len(prefix)].count

    def displacement(self, indices: Indices) -> int:
        # A prefix starts at the first selected index of the dimensions that follow.
        full = indices + (0,) * (self.stages - len(indices))
        return sum(d.index(i) * s for d, i, s in zip(self.dimensions, full, self.strides))

    def packed(self, indices: Indices) -> int:
        full = indices + (0,) * (self.stages - len(indices))
        copy = 0
        for dimension, index in self._slowest_first(zip(self.dimensions, full)):
            copy = copy * dimension.count + index
        return copy * self._component.size

    def at_packed(self, position: int) -> tuple[Indices, int]:
        copy, rest = divmod(position, self._component.size)
        indices = []
        for dimension in reversed(self._slowest_first(self.dimensions)):
            copy, index = divmod(copy, dimension.count)
            indices.append(index)
        return tuple(indices if self.fortran else reversed(indices)), rest

    def _slowest_first(self, items: Iterator[_T] | Sequence[_T]) -> list[_T]:
        # In type-map order C arrays run through their last dimension first, Fortran arrays
        # through their first.
        ordered = list(items)
        return ordered[::-1] if self.fortran else ordered

    def spans(self) -> Iterator[tuple[Datatype, int, int]]:
        if all(dimension.count for dimension in self.dimensions):
            low = high = 0
            for dimension, stride in zip(self.dimensions, self.strides):
                ends = sorted((dimension.first * stride, dimension.last * stride))
                low, high = low + ends[0], high + ends[1]
            yield self._component, low, high

    def copies(self) -> Iterator[tuple[Datatype, int]]:
        total = 1
        for dimension in self.dimensions:
            total *= dimension.count
        yield self._component, total


def _pair(indices: Indices) -> tuple[int, int]:
    return (indices[0] if indices else 0), (indices[1] if len(indices) > 1 else 0)
