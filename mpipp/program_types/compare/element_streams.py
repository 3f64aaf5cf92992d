# SPDX-License-Identifier: MIT
"""The elements of a datatype, folded into streams.

A stream is one basic datatype at a product of dimensions. A regular datatype is one stream for any
number of elements. Listed blocks of one kind and length at a constant distance are one stream, too.
Displacements are in bytes from the start of the buffer.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes import predefined, shapes
from mpipp.datatypes.element_address import kind as element_kind
from mpipp.datatypes.shapes import Blocks, Indices
from mpipp.program_types.types import span
from mpipp.typetree import Datatype

_MOST_GROUPS = 32  # groups of listed blocks, with one stream each


class Level(NamedTuple):
    """One dimension of a stream: `steps` places, `stride` bytes apart.

    Attributes:
        place: the index of the address that changes along the dimension.
        step: the change of this index from one place to the next.
        offsets: for listed blocks, ascending displacements from the first place. `stride` is their
            greatest common divisor.
        blocks: for listed blocks, the number of the block at each place.
    """

    steps: int
    stride: int
    place: int
    step: int
    offsets: Sequence[int] = ()
    blocks: Sequence[int] = ()

    @property
    def reach(self) -> int:
        """The displacement of the last place from the first."""
        return self.offsets[-1] if self.offsets else (self.steps - 1) * self.stride

    @property
    def distance(self) -> int:
        """The mean displacement of a place from the previous one."""
        return self.reach // (self.steps - 1) if self.offsets else self.stride

    def offset(self, i: int) -> int:
        """Return the displacement of place `i` from the first."""
        return self.offsets[i] if self.offsets else i * self.stride

    def moves(self, i: int) -> int:
        """Return the change of the address index at place `i`."""
        return self.blocks[i] - self.blocks[0] if self.blocks else i * self.step

    def within(self, room: int, i: int) -> int:
        """Return the number of places from `i` on that are at most `room` bytes after place `i`."""
        if self.offsets:
            return bisect.bisect_right(self.offsets, self.offsets[i] + room) - i
        return min(room // self.stride, self.steps - 1 - i) + 1

    def part(self, i: int, steps: int) -> Level:
        """Return the level of `steps` places from `i` on."""
        if not self.offsets:
            return self._replace(steps=steps)
        return listed(self.offsets[i : i + steps], self.blocks[i : i + steps], self.place)

    def remainders(self, start: int, size: int) -> dict[int, list[int]]:
        """Return the places by their displacement modulo `size`, if the first is at `start`."""
        found: dict[int, list[int]] = {}
        for i in range(self.steps):
            found.setdefault((start + self.offset(i)) % size, []).append(i)
        return found

    def chosen(self, places: Sequence[int]) -> Level:
        """Return the level of these places."""
        offsets = [self.offset(i) for i in places]
        return listed(offsets, [self.moves(i) for i in places], self.place)

    @property
    def comb(self) -> tuple[int, int]:
        """The argument of `types.span` in bytes."""
        return (0, self.reach) if self.offsets else (self.steps, self.stride)

    @property
    def indices(self) -> tuple[int, int]:
        """The argument of `types.span` in address indices."""
        if not self.blocks:
            return self.steps, self.step
        reach = max(self.blocks) - self.blocks[0]
        return (self.steps, 1) if self._is_run else (0, reach)

    @property
    def _is_run(self) -> bool:
        first = self.blocks[0]
        return self.blocks[-1] == first + self.steps - 1 and all(
            block == first + i for i, block in enumerate(self.blocks)
        )


def listed(offsets: Sequence[int], blocks: Sequence[int], place: int) -> Level:
    """Return the level of the places at ascending `offsets`, for these blocks."""
    first = offsets[0]
    relative = [offset - first for offset in offsets]
    return Level(len(offsets), math.gcd(*relative), place, 0, relative, blocks)


@dataclass(frozen=True)
class Stream:
    """Elements of one basic datatype: the first at `start`, the others at all sums of `levels`.

    `kind` is a value class of `mpipp.datatypes.predefined`, `size` the bytes of one element. A pair
    type makes two streams, and `part` is the part's name. `indices` are the first element's,
    repetition first. Strides are not negative.
    """

    leaf: Datatype
    kind: str
    size: int
    part: str
    start: int
    indices: Indices
    levels: tuple[Level, ...]

    @property
    def count(self) -> int:
        """The number of elements."""
        result = 1
        for level in self.levels:
            result *= level.steps
        return result

    def address(self, repeated: bool) -> str:
        """Return the elements' address: `[2][0..6](CHAR)`; `repeated`: also its first index."""
        text = ""
        for place, first in enumerate(self.indices):
            if place or repeated:
                combs = [v.indices for v in self.levels if v.place == place]
                text += f"[{span(first, combs)}]"
        return f"{text}({element_kind(self.leaf)}){self.part}"

    def moved(self, level: Level, i: int) -> Stream:
        """Return the stream from step `i` of a level on; the level itself is unchanged."""
        if not i:
            return self
        indices = list(self.indices)
        indices[level.place] += level.moves(i)
        return replace(self, start=self.start + level.offset(i), indices=tuple(indices))

    def starts(self) -> Iterator[int]:
        """Yield the displacement of each element."""
        places = ([v.offset(i) for i in range(v.steps)] for v in self.levels)
        return (self.start + sum(offsets) for offsets in itertools.product(*places))

    def first(self) -> Stream:
        """Return the stream of the first element alone."""
        return replace(self, levels=())


def streams(datatype: Datatype, count: int = 1, origin: int = 0) -> Iterator[Stream]:
    """Yield the streams of `count` entries of `datatype` at `origin`, in type-map order."""
    if not count or not datatype.element_count:
        return
    # Without recursion: a chain of constructors may be very long.
    pending = [_Place(datatype, origin, (0,), (Level(count, datatype.extent, 0, 1),))]
    while pending:
        place = pending.pop()
        if place.node.is_leaf:
            yield from _leaf(place)
        else:
            pending += reversed(list(_below(place)))


class _Place(NamedTuple):
    # Copies of a node of the type-tree; the first is at `start`, with these address indices.
    node: Datatype
    start: int
    indices: Indices
    levels: tuple[Level, ...]


def _below(place: _Place) -> Iterator[_Place]:
    # The copies of a node's components.
    node, start, indices, levels = place
    shape = node.shape
    if not isinstance(shape, Blocks):
        for at, before, every in _regular_levels(place, shape.levels()):
            yield _Place(node.components[0], at, before, every)
        return
    for group in _groups(shape):
        blocks = group.level._replace(place=len(indices))
        items = Level(group.length, group.component.extent, len(indices) + 1, 1)
        before, every = (*indices, group.block, 0), (*levels, blocks, items)
        yield _Place(group.component, start + group.start, before, every)


def _regular_levels(
    place: _Place, regular: Sequence[shapes.Level]
) -> Iterable[tuple[int, Indices, tuple[Level, ...]]]:
    # A block-cyclic dimension has complete cycles of chunks, and a shorter last cycle.
    choices = [(place.start, place.indices, place.levels)]
    for number, (dimension, stride) in enumerate(regular, len(place.indices)):
        parts: list[tuple[int, tuple[Level, ...]]] = []
        cycles, rest = divmod(dimension.count, dimension.chunk)
        if cycles:
            outer = Level(cycles, dimension.period * stride, number, dimension.chunk)
            inner = Level(dimension.chunk, stride, number, 1)
            parts.append((0, tuple(level for level in (outer, inner) if level.steps > 1)))
        if rest:
            parts.append((cycles * dimension.chunk, (Level(rest, stride, number, 1),)))
        choices = [
            (at + dimension.index(i) * stride, (*before, i), outside + of_part)
            for at, before, outside in choices
            for i, of_part in parts
        ]
    return choices


class _Group(NamedTuple):
    # Blocks of one component and length; the first is number `block`, at `start`.
    block: int
    start: int
    level: Level
    length: int
    component: Datatype


def _groups(shape: Blocks[Datatype]) -> list[_Group]:
    # Groups of blocks at a constant distance. If there are too many, one group for each kind of
    # block.
    groups = list(itertools.islice(_regular(shape), _MOST_GROUPS + 1))
    return groups if len(groups) <= _MOST_GROUPS else list(_irregular(shape))


def _regular(shape: Blocks[Datatype]) -> Iterator[_Group]:
    group: _Group | None = None
    for block, (component, at, length) in enumerate(shape.blocks()):
        if not length or not component.element_count:
            continue
        if group is not None:
            like = component is group.component and length == group.length
            steps, stride = group.level.steps, group.level.stride
            if like and block == group.block + steps:
                stride = at - group.start if steps == 1 else stride
                if at == group.start + steps * stride:
                    group = group._replace(level=Level(steps + 1, stride, 0, 1))
                    continue
            yield group
        group = _Group(block, at, Level(1, 0, 0, 1), length, component)
    if group is not None:
        yield group


def _irregular(shape: Blocks[Datatype]) -> Iterator[_Group]:
    found: dict[tuple[Datatype, int], list[tuple[int, int]]] = {}
    for block, (component, at, length) in enumerate(shape.blocks()):
        if length and component.element_count:
            found.setdefault((component, length), []).append((at, block))
    for (component, length), places in found.items():
        places.sort()
        level = listed([at for at, _ in places], [block for _, block in places], 0)
        yield _Group(places[0][1], places[0][0], level, length, component)


def _leaf(place: _Place) -> Iterator[Stream]:
    node, start, indices, levels = place
    forward: list[Level] = []
    at = list(indices)
    for level in levels:
        if level.steps > 1 and level.stride < 0:
            start += (level.steps - 1) * level.stride
            at[level.place] += (level.steps - 1) * level.step
            level = Level(level.steps, -level.stride, level.place, -level.step)
        if level.steps > 1:
            forward.append(level)
    for kind, size, offset, part in _parts(node):
        yield Stream(node, kind, size, part, start + offset, tuple(at), tuple(forward))


def _parts(node: Datatype) -> Iterator[tuple[str, int, int, str]]:
    # Value class, size, displacement and name of the part, or of both parts of a pair type.
    name = node.name
    if node.combiner != "NAMED":
        yield predefined.F90_CLASSES[node.combiner], node.size, 0, ""
    elif predefined.value_class(name) == "pair":
        value, index, offset = predefined.pair_layout(name, node.size)
        value_kind, index_kind = predefined.pair_classes(name)
        yield value_kind, value, 0, " value"
        yield index_kind, index, offset, " index"
    else:
        yield predefined.value_class(name), node.size, 0, ""
