# SPDX-License-Identifier: MIT
"""The nesting in which a debugger shows data: scalars, texts, arrays and structs.

A view is the expanded type-tree as a debugger shows it, built on demand and without addresses.
Vectors are arrays of blocks, and subarrays have one array level for each dimension. Dup and resized
have no level of their own. A block of characters is a text, and structs have members b0, b1, ... by
block. All displacements are in bytes from the view's own address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

from mpipp.datatypes import predefined
from mpipp.datatypes.predefined import Leaf
from mpipp.datatypes.shapes import Blocks, Indices, Regular
from mpipp.typetree import Datatype


class Scalar:
    """One basic value."""

    __slots__ = ("leaf",)
    kind = "scalar"
    count = 0

    def __init__(self, leaf: Leaf) -> None:
        self.leaf = leaf


class Text:
    """`count` characters, the first at displacement `first`, `stride` bytes apart."""

    __slots__ = ("count", "first", "leaf", "stride")
    kind = "text"

    def __init__(self, leaf: Leaf, count: int, first: int, stride: int) -> None:
        self.leaf = leaf
        self.count = count
        self.first = first
        self.stride = stride


class Array:
    """`count` items of one view, the first at displacement `first`, `stride` bytes apart."""

    __slots__ = ("_make", "_view", "count", "first", "stride")
    kind = "array"

    def __init__(self, count: int, make: Callable[[], View], first: int, stride: int) -> None:
        self.count = count
        self.first = first
        self.stride = stride
        self._make = make
        self._view: View | None = None

    @property
    def view(self) -> View:
        """The view of every item."""
        if self._view is None:
            self._view = self._make()
        return self._view

    def item(self, i: int) -> tuple[View, int]:
        """Return item `i` and its displacement."""
        return self.view, self.first + i * self.stride


class Irregular:
    """An array of `count` items that differ, or that have no common stride."""

    __slots__ = ("count", "item")
    kind = "array"

    def __init__(self, count: int, item: Callable[[int], tuple[View, int]]) -> None:
        self.count = count
        self.item = item


class Struct:
    """Named members; `item(i)` returns member `i` and its displacement."""

    __slots__ = ("item", "names")
    kind = "struct"

    def __init__(self, names: tuple[str, ...], item: Callable[[int], tuple[View, int]]) -> None:
        self.names = names
        self.item = item

    @property
    def count(self) -> int:
        """The number of members."""
        return len(self.names)


View = Union[Scalar, Text, Array, Irregular, Struct]


def of(datatype: Datatype) -> View:
    """Return the view of one entry of `datatype`."""
    datatype = _visible(datatype)
    return _leaf(datatype) if datatype.is_leaf else stage(datatype, ())


def sequence(datatype: Datatype, count: int, first: int = 0, stride: int | None = None) -> View:
    """Return the view of `count` copies of `datatype`.

    The copies are `stride` bytes apart; by default the extent of `datatype`.
    """
    step = datatype.extent if stride is None else stride
    inner = _visible(datatype)
    if inner.combiner == "NAMED":
        leaf = _character(inner)
        if leaf is not None:
            return Text(leaf, count, first, step)
    return Array(count, lambda: of(inner), first, step)


def stage(datatype: Datatype, prefix: Indices) -> View:
    """Return the view of the part of derived `datatype` below address indices `prefix`."""
    shape = datatype.shape
    if len(prefix) == shape.stages:
        return of(shape.component(prefix))
    if not isinstance(shape, Blocks):
        return _level(datatype, shape, len(prefix))
    if prefix:
        return sequence(shape.component(prefix), shape.branching(prefix))
    if datatype.combiner == "STRUCT":
        return _struct(datatype, shape)
    if datatype.combiner == "VALUE_INDEX":
        return Struct(
            ("value", "index"), lambda i: (of(shape.component((i,))), shape.displacement((i,)))
        )
    return Irregular(
        shape.branching(()), lambda i: (stage(datatype, (i,)), shape.displacement((i,)))
    )


def stage_displacement(datatype: Datatype, prefix: Indices) -> int:
    """Return the displacement of `stage(datatype, prefix)` from the start of `datatype`."""
    shape = datatype.shape
    if isinstance(shape, Blocks):
        return shape.displacement(prefix)
    # Only the levels in `prefix` count: the view adds the start of each remaining dimension itself.
    return sum(level.position(i) for level, i in zip(shape.levels(), prefix))


def _visible(datatype: Datatype) -> Datatype:
    while datatype.combiner in ("DUP", "RESIZED"):
        datatype = datatype.components[0]
    return datatype


def _character(datatype: Datatype) -> Leaf | None:
    if predefined.value_class(datatype.name) not in ("char", "wchar"):
        return None
    return predefined.leaf(datatype.name, datatype.size)


def _leaf(datatype: Datatype) -> View:
    name, size = datatype.name, datatype.size
    if datatype.combiner != "NAMED":
        return Scalar(predefined.leaf(predefined.F90_CLASSES[datatype.combiner], size))
    if predefined.value_class(name) != "pair":
        return Scalar(predefined.leaf(name, size))
    value, index = predefined.pair_leaves(name, size)
    parts = (Scalar(value), 0), (Scalar(index), predefined.pair_layout(name, size).index_offset)
    return Struct(("value", "index"), parts.__getitem__)


def _struct(datatype: Datatype, shape: Blocks[Datatype]) -> Struct:
    blocks = [
        i
        for i, component in enumerate(datatype.components)
        if shape.length(i) and not component.is_marker
    ]

    def item(i: int) -> tuple[View, int]:
        prefix = (blocks[i],)
        displacement = shape.displacement(prefix)
        if shape.length(blocks[i]) == 1:
            return of(shape.component(prefix)), displacement
        return stage(datatype, prefix), displacement

    return Struct(tuple(f"b{i}" for i in blocks), item)


def _level(datatype: Datatype, shape: Regular[Datatype], number: int) -> View:
    dimension, stride = shape.levels()[number]
    first = dimension.first * stride
    last = number + 1 == shape.stages
    step = stride * (dimension.period if dimension.chunk == 1 else 1)
    if dimension.chunk > 1 and dimension.count > dimension.chunk and stride:
        below = stage(datatype, (0,) * (number + 1))
        return Irregular(dimension.count, lambda i: (below, dimension.index(i) * stride))
    if last and shape.order != "FORTRAN":
        return sequence(shape.component(()), dimension.count, first, step)
    return Array(dimension.count, lambda: stage(datatype, (0,) * (number + 1)), first, step)
