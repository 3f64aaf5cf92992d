# SPDX-License-Identifier: MIT
"""One or two elements that touch a byte, found by arithmetic in any datatype.

`mpipp.datatypes.displacement_search` finds all elements at a displacement, but stops if very many
repetitions with similar strides interleave. This module finds one element on the way down the
type-tree: at each node it uses the bytes of the component (`footprint`). If the byte belongs to
several elements, it also finds a second one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from mpipp.datatypes.memory.bounded_sums import Term
from mpipp.datatypes.memory.footprint import touched
from mpipp.datatypes.memory.intersection import meet
from mpipp.datatypes.memory.strided_sets import Comb
from mpipp.datatypes.shapes import Blocks, Indices, Level
from mpipp.typetree import Datatype

_Step = tuple[Indices, int]  # a component's indices, and the byte's displacement in it
_Bounds = tuple[int, int]  # the indices first <= i < end


class _Piece(NamedTuple):
    # A regular part of a level's indices: `first` plus the sum of weight * i over all dimensions. A
    # dimension (count, stride) has 0 <= i < count.
    first: int
    dims: tuple[Term, ...]
    weights: tuple[int, ...]


def covering(datatype: Datatype, count: int, byte: int) -> list[Indices]:
    """Return up to two elements that touch the byte at a displacement.

    Each element is (repetition, index, ...).
    """
    entries = [Level.of(count, datatype.extent)]
    step = next(_steps(datatype, entries, byte, None), None)
    if step is None:
        return []
    first = _down(datatype, step)
    # A second element at this byte lies in another repetition, or differs from the first only in a
    # deeper node.
    other = next(_steps(datatype, entries, byte, first[:1]), None)
    if other is not None:
        return sorted([first, _down(datatype, other)])
    node, taken = datatype, 1
    byte -= first[0] * datatype.extent
    while not node.is_leaf:
        here = first[taken : taken + node.shape.stages]
        other = next(_children(node, byte, here), None)
        if other is not None:
            component = node.shape.component(other[0])
            return sorted([first, (*first[:taken], *_down(component, other))])
        byte -= node.shape.displacement(here)
        node = node.shape.component(here)
        taken += len(here)
    return [first]


def _down(node: Datatype, step: _Step) -> Indices:
    # Returns an element of a component that is known to touch the byte.
    found, byte = step
    while not node.is_leaf:
        here, byte = next(_children(node, byte, None))
        found += here
        node = node.shape.component(here)
    return found


def _children(node: Datatype, byte: int, but: Indices | None) -> Iterator[_Step]:
    # Yields a node's components that touch the byte, except the component with the indices `but`.
    shape = node.shape
    if not isinstance(shape, Blocks):
        yield from _steps(node.components[0], shape.levels(), byte, but)
    else:
        for block, (component, start, length) in enumerate(shape.blocks()):
            items = but[1:] if but is not None and but[0] == block else None
            copies = (Level.of(length, component.extent),)
            for (item,), rest in _steps(component, copies, byte - start, items):
                yield (block, item), rest


def _steps(
    component: Datatype, levels: Sequence[Level], byte: int, but: Indices | None
) -> Iterator[_Step]:
    # Yields copies of a component that touch the byte. Without the indices `but`, the other indices
    # form several parts; each part yields at most one copy.
    base = touched(component)
    if base is None:
        return
    every = [(0, level.dimension.count) for level in levels]
    for bounds in [every] if but is None else _without(every, but):
        for pieces in product(*map(_pieces, levels, bounds)):
            start = sum(level.position(piece.first) for level, piece in zip(levels, pieces))
            dims = tuple(dim for piece in pieces for dim in piece.dims)
            found = meet(base.shift(start), Comb(byte, 1), dims)
            if found is not None:
                left = iter(found[1])
                indices = tuple(
                    piece.first + sum(weight * next(left) for weight in piece.weights)
                    for piece in pieces
                )
                displacement = sum(level.position(i) for level, i in zip(levels, indices))
                yield indices, byte - displacement


def _without(every: list[_Bounds], but: Indices) -> Iterator[list[_Bounds]]:
    # Splits all index tuples except `but` into parts. In each part the first indices equal those of
    # `but`, and the next index is lower or higher.
    for k, index in enumerate(but):
        for part in ((0, index), (index + 1, every[k][1])):
            yield [*every[:k], part, *every[k + 1 :]]


def _pieces(level: Level, bounds: _Bounds) -> Iterator[_Piece]:
    # Splits an interval of indices into regular parts: whole cycles of the dimension, and the rests
    # of a cycle before and after them.
    (dimension, stride), (first, end) = level, bounds
    chunk = dimension.chunk
    while first < end:
        cycles = (end - first) // chunk
        if first % chunk or not cycles:
            number = min(chunk - first % chunk, end - first)
            yield _Piece(first, ((number, stride),), (1,))
            first += number
        else:
            dims = (cycles, dimension.period * stride), (chunk, stride)
            yield _Piece(first, dims, (chunk, 1))
            first += cycles * chunk
