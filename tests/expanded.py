# SPDX-License-Identifier: MIT
"""The expanded type-tree, one child at a time. The package itself never builds it."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.datatypes.shapes import Indices
from mpipp.typetree import Datatype


def levels(datatype: Datatype, block: int = 0) -> tuple[int, ...]:
    """The number of children at each address index of a node; () for a basic datatype.

    contiguous: (count,); dup and resized: (1,); subarray and darray: one per dimension; all others
    (count, length of block number `block`).
    """
    if datatype.is_leaf:
        return ()
    shape = datatype.shape
    result = [shape.branching(())]
    for stage in range(1, shape.stages):
        prefix = (block,) + (0,) * (stage - 1)
        result.append(shape.branching(prefix) if result[0] else 0)
    return tuple(result)


def child(datatype: Datatype, indices: Indices) -> tuple[Datatype, int]:
    """The component at `indices` (one for every level) and its displacement in bytes."""
    shape = datatype.shape
    return shape.component(indices), shape.displacement(indices)


def children(datatype: Datatype) -> Iterator[tuple[Indices, Datatype, int]]:
    """Every child as (indices, component, displacement in bytes), in type-map order."""
    if not datatype.size:
        return
    shape = datatype.shape
    position = 0
    while position < datatype.size:
        indices, _ = shape.at_packed(position)
        component = shape.component(indices)
        yield indices, component, shape.displacement(indices)
        position += component.size
