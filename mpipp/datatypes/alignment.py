# SPDX-License-Identifier: MIT
"""Does every element of a buffer lie at a multiple of its alignment, by the usual C rules?

Only the remainders of displacements matter, so nothing that is repeated is visited more than a
few times.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mpipp.datatypes import element_address, predefined
from mpipp.datatypes.distribution import Dimension
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.shapes import Blocks, Indices, Level
from mpipp.typetree import Datatype

_WIDEST = 16  # the largest alignment; all are powers of two


def misaligned(datatype: Datatype, count: int = 1, address: int = 0) -> Element | None:
    """An element that does not lie at a multiple of its alignment; None if all of them do.

    Args:
        address: the buffer's. By default it is a multiple of every alignment.
    """
    if not count or not datatype.element_count:
        return None
    seen: set[tuple[int, int]] = set()
    # The first found is the first in type-map order as far as remainders go.
    entries = [(i, (rest + address) % _WIDEST) for i, rest in _remainders(count, datatype.extent)]
    pending: list[tuple[Datatype, int, _Path]] = [
        (datatype, rest, ((i,), None)) for i, rest in reversed(entries)
    ]
    while pending:
        node, rest, path = pending.pop()
        if not node.element_count:
            continue
        if not node.is_leaf:
            below = []
            for indices, component, more in _children(node):
                key = id(component), (rest + more) % _WIDEST
                if key not in seen:
                    seen.add(key)
                    below.append((component, key[1], (indices, path)))
            pending += reversed(below)
        elif rest % alignment(node):
            return element_address.at_indices(datatype, _indices(path))
    return None


def alignment(leaf: Datatype) -> int:
    """The alignment in bytes of a basic datatype."""
    name = predefined.F90_CLASSES.get(leaf.combiner, leaf.name)
    return predefined.alignment(name, leaf.size)


_Path = tuple[Indices, "object"]


def _indices(path: object) -> Indices:
    found: list[Indices] = []
    while path is not None:
        assert isinstance(path, tuple)
        indices, path = path
        found.append(indices)
    return tuple(index for indices in reversed(found) for index in indices)


def _remainders(count: int, stride: int) -> Iterator[tuple[int, int]]:
    # The first index of every remainder that multiples of a stride have.
    for i in range(min(count, _WIDEST)):
        yield i, i * stride % _WIDEST


def _children(node: Datatype) -> Iterator[tuple[Indices, Datatype, int]]:
    # A child for every remainder of a displacement that there is.
    shape = node.shape
    if isinstance(shape, Blocks):
        for block, (component, start, length) in enumerate(shape.blocks()):
            for item, rest in _remainders(length, component.extent):
                yield (block, item), component, (start + rest) % _WIDEST
    else:
        for rest, indices in _first_indices(shape.levels()).items():
            yield indices, node.components[0], rest


def _first_indices(levels: Sequence[Level]) -> Mapping[int, Indices]:
    # The first indices with each remainder of the displacement.
    found: dict[int, Indices] = {0: ()}
    for level in levels:
        more: dict[int, Indices] = {}
        for rest, before in found.items():
            for i in _sample(level.dimension):
                more.setdefault((rest + level.position(i)) % _WIDEST, (*before, i))
        found = more
    return found


def _sample(dimension: Dimension) -> Iterator[int]:
    # Enough indices for every remainder: of the cycles, some of each place in a cycle.
    count, chunk = dimension.count, dimension.chunk
    for cycle in range(min(-(-count // chunk), _WIDEST)):
        first = cycle * chunk
        yield from range(first, min(first + chunk, first + _WIDEST, count))
