# SPDX-License-Identifier: MIT
"""Objects of the program in memory, and the way to their parts: members, elements, targets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.common.errors import MpippError
from mpipp.symbolizer.inlined_functions import name_of
from mpipp.symbolizer.variables import access_path, containers, debug_types
from mpipp.symbolizer.variables.access_path import Indices, Member, Step
from mpipp.symbolizer.variables.array_bounds import bound
from mpipp.symbolizer.variables.debug_types import NoLayout
from mpipp.symbolizer.variables.expressions import Frame, value
from mpipp.symbolizer.variables.locations import Values
from mpipp.symbolizer.variables.scope import Scope

_DEEPEST = 16  # levels of references, and of base classes
_CONDITIONS = (("DW_AT_allocated", "allocated"), ("DW_AT_associated", "associated"))


class Dimension(NamedTuple):
    """A dimension of an array: its first index, number of elements, and bytes between them."""

    low: int
    length: int
    stride: int


class Object(NamedTuple):
    """An object in memory.

    Attributes:
        kind: the debug entry of its type, or of the elements of an array.
        at: its address.
        dimensions: of an array, in the order of the indices in the source; else empty.
    """

    kind: Any
    at: int
    dimensions: tuple[Dimension, ...] = ()

    @property
    def is_fortran(self) -> bool:
        """True if Fortran declares its type."""
        return debug_types.is_fortran(self.kind)


class Objects:
    """Reads objects in the variables of a function.

    The methods raise Unknown, NoLayout, UnreadableMemory, IndexError, and MpippError for a part
    that an object does not have.
    """

    def __init__(self, scope: Scope, frame: Frame, values: Values) -> None:
        self._scope, self._frame, self._values = scope, frame, values

    def object(self, kind: Any, at: int, name: str) -> Object:
        """Return the object of a type at an address. References lead to their targets.

        Args:
            name: the expression that denotes the object, for messages.
        """
        for _ in range(_DEEPEST):
            plain = debug_types.stripped(kind)
            if plain is None:
                raise NoLayout
            if plain.tag == "DW_TAG_array_type":
                return self._array(plain, at, name)
            is_followed = debug_types.is_pointer(plain) and (
                not debug_types.is_raw_pointer(plain) or debug_types.is_fortran(plain)
            )
            if not is_followed:
                return self._vector(plain, at) or Object(kind, at)
            kind, at = debug_types.target(plain), self._frame.word(at)
        raise NoLayout

    def part(self, whole: Object, step: Step, name: str) -> Object:
        """Return a part of an object.

        Args:
            name: the expression for the whole object, for messages.
        """
        if isinstance(step, Indices):
            return self._element(whole, step.numbers, name)
        if isinstance(step, Member):
            return self._member(self._target(whole, name) if step.is_pointed else whole, step, name)
        return self._target(whole, name)

    def _target(self, whole: Object, name: str) -> Object:
        if whole.dimensions:
            return self._element(whole, (whole.dimensions[0].low,), name)
        plain, at = debug_types.stripped(whole.kind), whole.at
        if debug_types.is_smart_pointer(plain):
            plain, at = next(containers.targets(plain, at), (plain, at))
        if not debug_types.is_raw_pointer(plain):
            raise MpippError(f"{name} is not a pointer")
        start = self._frame.word(at)
        if not start:
            raise MpippError(f"{name} is a null pointer")
        return self.object(debug_types.target(plain), start, f"*{name}")

    def _element(self, whole: Object, numbers: Sequence[int], name: str) -> Object:
        dimensions = whole.dimensions
        if not dimensions:
            return self._pointed_element(whole, numbers, name)
        if whole.is_fortran and len(numbers) != len(dimensions):
            raise MpippError(f"{name} has {len(dimensions)} dimensions: write an index for each")
        if len(numbers) > len(dimensions):
            raise MpippError(f"{name} has {len(dimensions)} dimensions")
        at = whole.at
        for number, one in zip(numbers, dimensions):
            if not one.low <= number < one.low + one.length:
                last = one.low + one.length - 1
                raise MpippError(f"the index {number} of {name} is not from {one.low} to {last}")
            at += (number - one.low) * one.stride
        rest = dimensions[len(numbers) :]
        return Object(whole.kind, at, rest) if rest else self.object(whole.kind, at, name)

    def _pointed_element(self, whole: Object, numbers: Sequence[int], name: str) -> Object:
        plain = debug_types.stripped(whole.kind)
        target = debug_types.target(plain) if debug_types.is_raw_pointer(plain) else None
        bytes_ = debug_types.size(target) if target is not None else None
        if bytes_ is None or len(numbers) != 1:
            raise MpippError(f"{name} is not an array")
        return self.object(target, self._frame.word(whole.at) + numbers[0] * bytes_, name)

    def _member(self, whole: Object, step: Member, name: str) -> Object:
        plain = None if whole.dimensions else debug_types.stripped(whole.kind)
        if plain is None or not debug_types.is_record(plain):
            raise MpippError(f"{name} has no members")
        wanted = step.name.lower() if whole.is_fortran else step.name
        for member, offset in _members(plain, 0):
            if name_of(member) == wanted:
                part = access_path.spelled(name, step, whole.is_fortran)
                return self.object(debug_types.target(member), whole.at + offset, part)
        raise MpippError(f"{name} has no member {step.name}")

    def has_member(self, kind: Any, name: str) -> bool:
        """Return whether a type is a pointer to a record that has this member."""
        plain = debug_types.stripped(debug_types.target(debug_types.stripped(kind)))
        is_record = plain is not None and debug_types.is_record(plain)
        return is_record and any(name_of(one) == name for one, _ in _members(plain, 0))

    def _vector(self, plain: Any, at: int) -> Object | None:
        if not debug_types.is_container(plain):
            return None
        for low, high, _, element in containers.elements(plain, at, self._frame):
            bytes_ = debug_types.size(element) or 1
            return Object(element, low, (Dimension(0, (high - low) // bytes_, bytes_),))
        return None

    def _array(self, plain: Any, at: int, name: str) -> Object:
        for attribute, word in _CONDITIONS:
            condition = plain.attributes.get(attribute)
            if condition is not None and not value(bytes(condition.value), self._frame, at):
                raise MpippError(f"{name} is not {word}")
        found = self._bounds(plain, at)
        data = plain.attributes.get("DW_AT_data_location")
        if data is not None:
            at = value(bytes(data.value), self._frame, at)
        element = debug_types.target(plain)
        while (inner := debug_types.stripped(element)).tag == "DW_TAG_array_type":
            found += self._bounds(inner, at)
            element = debug_types.target(inner)
        size = debug_types.size(element)
        if size is None:
            raise NoLayout
        return Object(element, at, tuple(_strided(found, size, debug_types.is_fortran(plain))))

    def _bounds(self, plain: Any, at: int) -> list[tuple[int, int, int | None]]:
        # The first index, number of elements and stride of each dimension.
        found = []
        for one in debug_types.children(plain):
            if one.tag != "DW_TAG_subrange_type":
                continue
            first, count, last, stride = (
                bound(one, name, at, self._frame, self._scope, self._values)
                for name in ("lower_bound", "count", "upper_bound", "byte_stride")
            )
            low = int(debug_types.is_fortran(plain)) if first is None else first
            if count is None and last is not None:
                count = last - low + 1
            if count is None:
                raise NoLayout
            found.append((low, max(0, count), stride))
        return found


def _strided(
    found: Sequence[tuple[int, int, int | None]], size: int, is_fortran: bool
) -> Iterator[Dimension]:
    counts = [count for _, count, _ in found]
    for number, (low, count, stride) in enumerate(found):
        inner = counts[:number] if is_fortran else counts[number + 1 :]
        yield Dimension(low, count, size * math.prod(inner) if stride is None else stride)


def _members(plain: Any, offset: int, depth: int = _DEEPEST) -> Iterator[tuple[Any, int]]:
    # The members of a record, also those of base classes and of anonymous structs.
    for one in debug_types.children(plain) if depth else ():
        at = debug_types.member_offset(one)
        if at is None:
            continue
        if name_of(one) and one.tag == "DW_TAG_member":
            yield one, offset + at
            continue
        inner = debug_types.stripped(debug_types.target(one))
        if inner is not None and debug_types.is_record(inner):
            yield from _members(inner, offset + at, depth - 1)
