# SPDX-License-Identifier: MIT
"""Search for misaligned elements, by the usual C rules.

Only the remainders of displacements modulo 16 matter. So the search visits at most 16 repetitions,
and its cost does not depend on the count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mpipp.datatypes import element_address, predefined
from mpipp.datatypes.distribution import Dimension
from mpipp.datatypes.element_address import Element
from mpipp.datatypes.shapes import Blocks, Indices, Level
from mpipp.typetree import Datatype

_WIDEST = 16  # the largest alignment in bytes; all alignments are powers of two


def misaligned(datatype: Datatype, count: int = 1, address: int = 0) -> Element | None:
    """Return an element that is not at a multiple of its alignment; None if there is none.

    Args:
        address: the buffer's address. The default, 0, is a multiple of every alignment.
    """
    if not count or not datatype.element_count:
        return None
    seen: set[tuple[int, int]] = set()
    # Search in the order of the buffer, so that the first misaligned element is returned.
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
    # Indices with the remainders of their displacements; enough indices for every possible
    # remainder.
    for i in range(min(count, _WIDEST)):
        yield i, i * stride % _WIDEST


def _children(node: Datatype) -> Iterator[tuple[Indices, Datatype, int]]:
    # Yield one child for each remainder that the displacement of a child can have.
    shape = node.shape
    if isinstance(shape, Blocks):
        for block, (component, start, length) in enumerate(shape.blocks()):
            for item, rest in _remainders(length, component.extent):
                yield (block, item), component, (start + rest) % _WIDEST
    else:
        for rest, indices in _first_indices(shape.levels()).items():
            yield indices, node.components[0], rest


def _first_indices(levels: Sequence[Level]) -> Mapping[int, Indices]:
    # The first indices for each remainder that a displacement can have.
    found: dict[int, Indices] = {0: ()}
    for level in levels:
        more: dict[int, Indices] = {}
        for rest, before in found.items():
            for i in _sample(level.dimension):
                more.setdefault((rest + level.position(i)) % _WIDEST, (*before, i))
        found = more
    return found


def _sample(dimension: Dimension) -> Iterator[int]:
    # Yield enough indices for every remainder of a displacement: the first ones of some cycles.
    count, chunk = dimension.count, dimension.chunk
    for cycle in range(min(-(-count // chunk), _WIDEST)):
        first = cycle * chunk
        yield from range(first, min(first + chunk, first + _WIDEST, count))
