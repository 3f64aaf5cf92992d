# SPDX-License-Identifier: MIT
"""A type of the program from debug information: scalars, arrays and records at byte offsets.

The kinds of scalars are the value classes of `mpipp.datatypes.predefined`, and some more. These are
"enum", "pointer", "reference", "vptr" (C++'s pointer to the virtual table), "virtual" (an object
with a virtual base class) and "container" (std::vector and similar). "bits" are bit fields that
share bytes, and "descriptor" is a Fortran component whose data are in another place. All offsets
and sizes are in bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Union

from mpipp.common.lazy_dataclass import dataclass

ELSEWHERE: Mapping[str, str] = {
    "pointer": "a pointer",
    "reference": "a reference",
    "vptr": "the pointer to the virtual table",
    "container": "a container, whose elements lie elsewhere",
    "virtual": "an object with a virtual base class",
    "descriptor": "the descriptor of a component whose data lies elsewhere",
}

_MOST_RUNS = 4  # runs of indices that are listed


@dataclass(frozen=True)
class Scalar:
    """A type without parts. `name` is the language's: "unsigned int"."""

    kind: str
    name: str
    size: int


@dataclass(frozen=True)
class Array:
    """An array of `count` contiguous elements; the first has the index `lower`.

    Several dimensions are arrays of arrays. The outermost array is the dimension with the widest
    stride, in Fortran the last. `text` is a Fortran CHARACTER. For a section of a Fortran array,
    `stride` is the distance of the elements; 0 means that they are contiguous.
    """

    element: Type
    count: int
    lower: int = 0
    fortran: bool = False
    text: bool = False
    stride: int = 0

    @property
    def distance(self) -> int:
        """Bytes from one element to the next."""
        return self.stride or self.element.size

    @property
    def size(self) -> int:
        """Bytes from the first element to the end of the last."""
        return (self.count - 1) * self.distance + self.element.size if self.count else 0

    @property
    def name(self) -> str:
        """The name as in the language: "double [3][4]", "real(kind=8) (3,4)"."""
        lengths: list[int] = []
        element: Type = self
        while isinstance(element, Array) and element.text == self.text:
            lengths.append(element.count)
            element = element.element
        if self.text:
            return f"character(len={self.count})"
        if self.fortran:
            return f"{element.name} ({','.join(map(str, reversed(lengths)))})"
        return f"{element.name} {''.join(f'[{length}]' for length in lengths)}"


class Member(NamedTuple):
    """A member of a record, of a base class of it, or of an anonymous struct in it.

    The name of an anonymous union is "". If members of base classes have equal names, the class is
    part of the name: "Base::id". `hidden`: "private" or "protected", else "".
    """

    name: str
    offset: int
    type: Type
    hidden: str = ""


@dataclass(frozen=True)
class Record:
    """A struct, class, derived type or union, with members sorted by offset."""

    name: str  # "struct particle", "type(particle)"
    size: int
    members: tuple[Member, ...]
    union: bool = False
    fortran: bool = False
    cxx: bool = False  # a class that C cannot express: base classes, private members ...

    def regions(self) -> Iterator[tuple[int, int, Member | None]]:
        """Yield each member with its offset and its end, and each run of padding, with None as
        member."""
        end = 0
        for member in self.members:
            start = max(member.offset, end)
            if start > end:
                yield end, start, None
            end = max(start, member.offset + member.type.size)
            if end > start:
                yield start, end, member
        if self.size > end:
            yield end, self.size, None


Type = Union[Scalar, Array, Record]


class Index(NamedTuple):
    """Indices of one array dimension: `first`, and all sums of steps (count, step) from there."""

    array: Array
    first: int  # from 0, for any lower bound of the array
    combs: tuple[tuple[int, int], ...] = ()


# A path from an object to its part: members' names and indices.
Path = tuple[Union[str, Index], ...]


def span(first: int, combs: Iterable[tuple[int, int]]) -> str:
    """Return text for the numbers `first` + sums of multiples of steps: "5", "0..6", "0..8 by 2".

    A count of 0 stands for any numbers up to the step.
    """
    combs = list(combs)
    if any(not count for count, _ in combs):
        last = first + sum((max(count, 2) - 1) * step for count, step in combs)
        return f"{first}..{last} in part"
    left = sorted((c for c in combs if c[0] > 1 and c[1]), key=lambda comb: abs(comb[1]))
    if not left:
        return str(first)
    last = first + sum((count - 1) * step for count, step in left)
    step = left[0][1]
    reach = step
    for number, (count, next_step) in enumerate(left):
        if next_step != reach:
            outer = left[number:]
            if len(outer) == 1 and outer[0][0] <= _MOST_RUNS:
                starts = [first + i * outer[0][1] for i in range(outer[0][0])]
                return ",".join(span(start, left[:number]) for start in starts)
            return f"{first}..{last} in part"
        reach *= count
    return f"{first}..{last}" if abs(step) == 1 else f"{first}..{last} by {abs(step)}"


def spelled(root: str, path: Path, fortran: bool = False) -> str:
    """Return a path as the language writes it: `particle.name[5]`, `particle%name(6)`.

    `root` may end in "->" if it is a pointer.
    """
    text = root
    steps = [step for step in path if step != ""]
    while steps:
        step = steps.pop(0)
        if isinstance(step, str):
            separator = "" if text.endswith("->") or not text else "%" if fortran else "."
            text += separator + step
            continue
        text = text[:-2] if text.endswith("->") else text
        if not step.array.fortran:
            text += f"[{_indices(step)}]"
            continue
        text += f"({_fortran_indices(step, steps)})"
    return text[:-2] if text.endswith("->") else text


def _fortran_indices(step: Index, steps: list[str | Index]) -> str:
    # The indices of all dimensions in Fortran's order, innermost first; takes them from `steps`.
    indices = [_indices(step)]
    if step.array.text:
        return indices[0] if ".." in indices[0] else f"{indices[0]}:{indices[0]}"
    inner = _dimension(step.array.element)
    while inner is not None:
        following = steps.pop(0) if steps else None
        indices.append(_indices(following) if isinstance(following, Index) else ":")
        inner = _dimension(inner.element)
    return ",".join(reversed(indices))


def _dimension(element: Type) -> Array | None:
    return element if isinstance(element, Array) and not element.text else None


def _indices(step: Index) -> str:
    return span(step.first + step.array.lower, step.combs)


def within(kind: Type, low: int, high: int) -> Iterator[tuple[Path, int, Scalar]]:
    """Yield the scalars of a type with bytes from `low` to `high` (exclusive), with their offsets.

    For a union, only the first alternative with such a scalar counts.
    """
    if isinstance(kind, Scalar):
        if low < kind.size and high > 0:
            yield (), 0, kind
    elif isinstance(kind, Array):
        size = kind.distance
        if not size:
            return
        for i in range(max(0, low // size), min(kind.count, -(-high // size))):
            for path, at, scalar in within(kind.element, low - i * size, high - i * size):
                yield (Index(kind, i), *path), at + i * size, scalar
    else:
        for member in kind.members:
            found = False
            for path, at, scalar in within(member.type, low - member.offset, high - member.offset):
                found = True
                yield (member.name, *path), at + member.offset, scalar
            if found and kind.union:
                return


def leaves(kind: Type) -> Iterator[tuple[Path, int, Type, int]]:
    """Yield the scalars and unions of a type, with arrays folded.

    An item has the path, the first offset, the type, and the number of copies.
    """
    if isinstance(kind, Array):
        for path, at, leaf, count in leaves(kind.element):
            if kind.count:
                index = Index(kind, 0, ((kind.count, 1),))
                yield (index, *path), at, leaf, count * kind.count
    elif isinstance(kind, Record) and not kind.union:
        for member in kind.members:
            for path, at, leaf, count in leaves(member.type):
                yield (member.name, *path), at + member.offset, leaf, count
    else:
        yield (), 0, kind, 1


# Datatypes for types with these names (MPI-4.1, sections 3.2.2 and 19.1.9).
_BY_NAME: Mapping[str, str] = {
    "char": "MPI_CHAR",
    "signed char": "MPI_SIGNED_CHAR",
    "unsigned char": "MPI_UNSIGNED_CHAR",
    "short": "MPI_SHORT",
    "unsigned short": "MPI_UNSIGNED_SHORT",
    "int": "MPI_INT",
    "unsigned int": "MPI_UNSIGNED",
    "long": "MPI_LONG",
    "unsigned long": "MPI_UNSIGNED_LONG",
    "long long": "MPI_LONG_LONG",
    "unsigned long long": "MPI_UNSIGNED_LONG_LONG",
    "float": "MPI_FLOAT",
    "double": "MPI_DOUBLE",
    "long double": "MPI_LONG_DOUBLE",
    "wchar_t": "MPI_WCHAR",
    "_Bool": "MPI_C_BOOL",
    "bool": "MPI_CXX_BOOL",
    "integer(kind=4)": "MPI_INTEGER",
    "real(kind=4)": "MPI_REAL",
    "real(kind=8)": "MPI_DOUBLE_PRECISION",
    "complex(kind=4)": "MPI_COMPLEX",
    "complex(kind=8)": "MPI_DOUBLE_COMPLEX",
    "logical(kind=4)": "MPI_LOGICAL",
    "logical(kind=1)": "MPI_C_BOOL",
}
# Datatypes for kinds of scalars. {} is the size in bits or, in Fortran, in bytes.
_BY_KIND: Mapping[str, str] = {
    "signed": "MPI_INT{}_T",
    "enum": "MPI_INT{}_T",
    "unsigned": "MPI_UINT{}_T",
}
_FORTRAN_BY_KIND: Mapping[str, str] = {
    "signed": "MPI_INTEGER{}",
    "float": "MPI_REAL{}",
    "complex": "MPI_COMPLEX{}",
    "char": "MPI_CHARACTER",
}
_COMPLEX = {8: "MPI_C_FLOAT_COMPLEX", 16: "MPI_C_DOUBLE_COMPLEX", 32: "MPI_C_LONG_DOUBLE_COMPLEX"}


def datatype_name(scalar: Scalar, fortran: bool = False) -> str:
    """Return the predefined datatype for a scalar; "" if the standard has none."""
    if scalar.kind in ELSEWHERE or scalar.kind == "bits":
        return ""
    known = _BY_NAME.get(scalar.name)
    if known is not None:
        return known
    if re.fullmatch(r"u?int(8|16|32|64)_t", scalar.name):
        return f"MPI_{scalar.name.upper()}"
    if fortran:
        # x87 types have 80 bits in 16 bytes, so they are no 128-bit type. No library has
        # MPI_INTEGER16.
        if "(kind=10)" in scalar.name or scalar.name == "integer(kind=16)":
            return ""
        return _FORTRAN_BY_KIND.get(scalar.kind, "").format(scalar.size)
    if scalar.kind == "enum":
        return "MPI_INT" if scalar.size == 4 else _BY_KIND["enum"].format(scalar.size * 8)
    if scalar.kind == "complex":
        return _COMPLEX.get(scalar.size, "")
    return _BY_KIND.get(scalar.kind, "").format(scalar.size * 8) if scalar.size <= 8 else ""
