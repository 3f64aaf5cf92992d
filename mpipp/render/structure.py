# SPDX-License-Identifier: MIT
"""The structure of an MPI object or a buffer for front ends, independent of its display.

A shown value is a number, a `Constant` (without quotes), a text (with quotes), a `Struct` or an
`Array`. A shown value may also be the values of a buffer (`values.Node`), or a datatype. Parts are
created on demand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Union

from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes.values.nodes import Node
from mpipp.render.datatype_structs import Constant, members
from mpipp.typetree import Datatype


@dataclass(frozen=True)
class Struct:
    """Named members; every name is a C identifier."""

    members: Sequence[tuple[str, Any]]


@dataclass(frozen=True)
class Array:
    """A sequence whose items have no names."""

    items: Sequence[Any]


@dataclass(frozen=True)
class Slice:
    """Consecutive items of a long array, with their indices in the array."""

    array: Any
    indices: range


Shown = Union[int, str, Constant, Struct, Array, Slice, Node, Datatype]

PAGE = 100  # items in a slice; a longer array is divided if all parts are listed at once


def names(shown: Shown) -> Sequence[str]:
    """The names of a struct's members; () for an array."""
    if isinstance(shown, Struct):
        return [name for name, _ in shown.members]
    return shown.names if isinstance(shown, Node) else ()


def count(shown: Shown) -> int:
    """The number of parts; 0 for a value without parts."""
    if isinstance(shown, Struct):
        return len(shown.members)
    if isinstance(shown, Array):
        return len(shown.items)
    # A buffer may have more parts than Python allows as a length.
    return min(shown.count, sys.maxsize) if isinstance(shown, Node) else 0


def indices(shown: Shown) -> range:
    """The indices of all parts."""
    return shown.indices if isinstance(shown, Slice) else range(count(shown))


def slices(shown: Shown) -> Iterator[range]:
    """The slices of an array longer than a page, at most a page of them; none for others."""
    whole = indices(shown)
    if len(whole) <= PAGE or names(shown):
        return
    step = PAGE
    while len(whole) > step * PAGE:
        step *= PAGE
    for first in range(0, len(whole), step):
        yield whole[first : first + step]


def part(shown: Shown, i: int | range) -> Shown:
    """Part number `i`, or a slice. Raises IndexError if there is none."""
    if isinstance(i, range):
        return Slice(shown.array if isinstance(shown, Slice) else shown, i)
    if isinstance(shown, Slice):
        return part(shown.array, i)
    return normal(raw(shown, i))


def raw(shown: Shown, i: int) -> Any:
    """Part number `i` in its original form, for `normal`. Raises IndexError if there is none."""
    if isinstance(shown, Struct):
        return shown.members[i][1]
    if isinstance(shown, Array):
        return shown.items[i]
    if isinstance(shown, Node):
        return shown.child(i)
    raise IndexError(i)


def normal(value: Any) -> Shown:
    """A value from `members.members` as a shown value."""
    if isinstance(value, Datatype):
        return datatype(value)
    if isinstance(value, (str, int, Struct, Array, Node)):
        return value
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return Struct(value)
    return Array(value)


def datatype(tree: Datatype, *more: tuple[str, Shown]) -> Shown:
    """A datatype as a struct, with the members `more` at its end. A predefined datatype is shown by
    its name."""
    if tree.combiner == "NAMED":
        return Constant(tree.name)
    return Struct([*members(tree), *more])
