# SPDX-License-Identifier: MIT
"""A type of the program with its name in messages, and the part of it that a datatype describes."""

from __future__ import annotations

from dataclasses import replace

from mpipp.common.lazy_dataclass import dataclass
from mpipp.program_types import types
from mpipp.program_types.types import Array, Index, Path, Record, Type
from mpipp.typetree import Datatype


@dataclass(frozen=True)
class Layout:
    """A type of the program, with the names to print.

    Attributes:
        root: the beginning of members' names; it may end in "->".
        name: the object's name.
        type: the type's name; equal to `name` if there is no object.
        inside: the path from `root` to this type, if it is only a part.
    """

    kind: Type
    root: str
    name: str
    type: str
    fortran: bool = False
    inside: Path = ()

    def spell(self, path: Path) -> str:
        """Return a member's name: "particle.name[5]"."""
        return types.spelled(self.root, self.inside + path, self.fortran)

    def part(self, path: Path, kind: Type) -> Layout:
        """Return the layout of the part at `path`."""
        inside = replace(self, kind=kind, inside=self.inside + path)
        return replace(inside, name=inside.spell(()), type=kind.name) if path else self

    @property
    def described(self) -> str:
        """The object, its type and its size: "*p (struct particle, 40 bytes)"."""
        size = f"{self.kind.size} byte{'s' * (self.kind.size != 1)}"
        return (
            f"{self.name} ({size})"
            if self.name == self.type
            else f"{self.name} ({self.type}, {size})"
        )


def narrowed(datatype: Datatype, layout: Layout) -> Layout:
    """Return the first element of an array, if one entry of the datatype describes only that."""
    kind = layout.kind
    path: Path = ()
    while isinstance(kind, Array) and kind.count and kind.size > datatype.extent:
        inner = kind.element
        inside = datatype.true_lb >= 0 and datatype.true_ub <= inner.size
        if not inside or datatype.extent > inner.size:
            break
        path += (Index(kind, 0),)
        kind = inner
    return layout.part(path, kind)


def opened(datatype: Datatype, layout: Layout, count: int = 1) -> Layout:
    """Return an array in place of one object, if `count` entries of the datatype span several.

    This is for the target of a pointer: debug information does not have the number of objects.
    """
    size, extent = layout.kind.size, datatype.extent
    end = (count - 1) * extent + datatype.true_ub
    if not size or extent < 0 or end <= size:
        return layout
    if not isinstance(layout.kind, Record):
        number = -(-max(end, extent * count) // size)
    elif datatype.lb == 0 and extent % size == 0:
        number = extent * count // size
    else:
        return layout
    return several(layout, number)


def several(layout: Layout, number: int) -> Layout:
    """Return the layout of `number` contiguous objects of a type, or of the target of a pointer."""
    kind = Array(layout.kind, number, 1 if layout.fortran else 0, layout.fortran)
    is_type = layout.name == layout.type
    name = kind.name if is_type else layout.root.removesuffix("->")
    return replace(layout, kind=kind, name=name, type=kind.name)


def focused(layout: Layout, low: int, high: int) -> tuple[Layout, int]:
    """Return the smallest part of an object with its bytes from `low` to `high`, and its offset."""
    kind, offset = layout.kind, 0
    path: Path = ()
    while True:
        inner = _part(kind, low - offset, high - offset)
        if inner is None:
            break
        step, at, kind = inner
        path = (*path, step)
        offset += at
    part = layout.part(path, kind)
    return _slice(part, offset, low - offset, high - offset)


def _slice(layout: Layout, offset: int, low: int, high: int) -> tuple[Layout, int]:
    # The elements of an array with the bytes from `low` to `high`.
    kind = layout.kind
    if not isinstance(kind, Array) or kind.text or not kind.distance or high <= low:
        return layout, offset
    first, last = low // kind.distance, (high - 1) // kind.distance
    if first < 0 or last >= kind.count or last - first + 1 == kind.count:
        return layout, offset
    some = replace(kind, count=last - first + 1, lower=kind.lower + first)
    name = layout.spell((Index(some, 0, ((some.count, 1),)),))
    type_name = some.name if layout.type == kind.name else layout.type
    return replace(layout, kind=some, name=name, type=type_name), offset + first * kind.distance


def _part(kind: Type, low: int, high: int) -> tuple[str | Index, int, Type] | None:
    if isinstance(kind, Array) and kind.distance and not kind.text:
        number = low // kind.distance
        at = number * kind.distance
        if 0 <= number < kind.count and high <= at + kind.element.size:
            return Index(kind, number), at, kind.element
    elif isinstance(kind, Record) and not kind.union:
        for member in kind.members:
            if member.offset <= low and high <= member.offset + member.type.size:
                return member.name, member.offset, member.type
    return None
