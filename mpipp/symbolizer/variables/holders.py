# SPDX-License-Identifier: MIT
"""The variables of a process that hold the data at an address, as a value or behind a pointer.

The search covers the frames of a call, innermost first, then the static variables of their files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.common.errors import UnreadableMemory
from mpipp.program_types.compare import Layout, several
from mpipp.program_types.types import Array, Scalar
from mpipp.symbolizer.inlined_functions import name_of
from mpipp.symbolizer.stack_variables import visible_at_lines
from mpipp.symbolizer.variables import containers, debug_types
from mpipp.symbolizer.variables.array_bounds import bound
from mpipp.symbolizer.variables.debug_types import NoLayout
from mpipp.symbolizer.variables.expressions import CallMemory, Frame, Unknown, value
from mpipp.symbolizer.variables.locations import Values, expression, located
from mpipp.symbolizer.variables.scope import Scope, is_block, is_later, static_variables

_DEEPEST = 3  # levels of members
_MOST_MEMBERS = 100  # members of one variable
_MOST_ELEMENTS = 1 << 40
_BYTES = ("char", "unsigned char", "signed char", "byte", "std::byte")
_VARIABLES = ("DW_TAG_variable", "DW_TAG_formal_parameter")
_BLOCKS = ("DW_TAG_lexical_block", "DW_TAG_inlined_subroutine", "DW_TAG_common_block")
_DEEPEST_BLOCK = 32
_ADDR = 0x03  # DW_OP_addr


class Holder(NamedTuple):
    """A variable that contains the data at an address, or points to them.

    Attributes:
        layout: its type and name.
        low: its address; the data begin `address - low` bytes after it.
        high: address of its end; None: unknown, as for the target of a pointer.
        is_declared: whether the memory was declared with this type, not only a pointer to it.
        is_counted: whether `high` is the end of the elements in use, as in a std::vector.
        is_current: whether it was read after the call, which may have returned.
        is_static: whether it is a static variable, or part of one.
        full: for a container the end of its memory, else 0.
        is_reached: whether a pointer leads to the container, so that it may have been destroyed.
        is_view: whether it may be a part of a larger object, as the target of a Fortran pointer.
        is_of_caller: whether it is a variable of the function that calls MPI.
    """

    layout: Layout
    low: int
    high: int | None
    is_declared: bool
    is_counted: bool = False
    is_current: bool = False
    is_static: bool = False
    full: int = 0
    is_reached: bool = False
    is_view: bool = False
    is_of_caller: bool = False


class Untyped(NamedTuple):
    """A pointer to the data that does not show their type: void *, or to characters."""

    name: str


def holders(
    scopes: Sequence[Scope], address: int, memory: CallMemory
) -> Iterator[Holder | Untyped]:
    """Yield all variables that contain the data at `address` or point to them, innermost frame
    first.

    Args:
        memory: the process's memory.

    Raises pyelftools' exceptions for damaged data.
    """
    for scope in scopes:
        frame = scope.frame(memory)
        every = visible_at_lines(scope.entry, scope.address, scope.line, scope.debug)
        for entry, line in every:
            if not is_later(entry, line):
                for found in _Search(address, frame, scope).of_variable(entry):
                    if isinstance(found, Holder):
                        found = found._replace(is_of_caller=scope.is_caller)
                    yield found
    for entry, scope, frame in static_variables(scopes, memory):
        yield from _Search(address, frame, scope).of_variable(entry)


def end_in_frames(scopes: Sequence[Scope], address: int, memory: CallMemory) -> int:
    """Return the largest end of the variables in these frames that may hold an address; 0 if none.

    Variables of all blocks count, because compilers let different blocks share memory.
    """
    found = [0]
    for scope in scopes:
        frame = scope.frame(memory)
        found += (end for start, end in _extents(scope.entry, frame, 0) if start <= address < end)
    return max(found)


def _extents(entry: Any, frame: Frame, depth: int) -> Iterator[tuple[int, int]]:
    for child in debug_types.children(entry) if depth < _DEEPEST_BLOCK else ():
        if child.tag in _VARIABLES:
            location = child.attributes.get("DW_AT_location")
            size = debug_types.size(child)
            if size is None or location is None or not is_block(location):
                continue
            with contextlib.suppress(Unknown, UnreadableMemory, IndexError):
                start = value(bytes(location.value), frame)
                yield start, start + size
        elif child.tag in _BLOCKS:
            yield from _extents(child, frame, depth + 1)


class _Search:
    # Searches one variable, its members, and the targets of its pointers.
    def __init__(self, address: int, frame: Frame, scope: Scope) -> None:
        self._address, self._scope = address, scope
        self._values = Values(frame.memory)
        self._frame = frame._replace(memory=self._values)
        self._left = _MOST_MEMBERS

    def of_variable(self, entry: Any) -> Iterator[Holder | Untyped]:
        """Yield the holders in the variable or at its targets."""
        memory = self._frame.memory
        memory.is_current = False
        for found in self._of_entry(entry):
            if isinstance(found, Holder):
                found = found._replace(is_current=memory.is_current)
            yield found

    def _of_entry(self, entry: Any) -> Iterator[Holder | Untyped]:
        kind = debug_types.target(entry)
        name = name_of(entry)
        if kind is None or not name:
            return
        code = expression(entry, self._scope.address, self._scope.debug)
        if not code:
            return
        try:
            at = located(code, self._frame, self._values)
        except (Unknown, UnreadableMemory, IndexError):
            return
        # A Fortran dummy argument is a pointer to the actual argument, which may have another type.
        own = entry.tag == "DW_TAG_variable" or not debug_types.is_fortran(entry)
        is_static = code[0] == _ADDR
        end = at + (debug_types.size(kind) or 0)
        for found in self._of(name, kind, at, own, _DEEPEST):
            if isinstance(found, Holder) and at <= found.low < end:
                if not is_static and self._scope.may_share_memory(entry):
                    continue
                found = found._replace(is_static=is_static)
            yield found

    def _of(
        self, name: str, kind: Any, at: int, own: bool, depth: int
    ) -> Iterator[Holder | Untyped]:
        plain = debug_types.stripped(kind)
        self._left -= 1
        if plain is None or self._left < 0:
            return
        try:
            if debug_types.is_pointer(plain):
                if own and self._address - at in range(debug_types.plain_size(plain)):
                    yield Holder(_layout(name, kind), at, at + debug_types.plain_size(plain), own)
                yield from self._behind(name, plain, at, depth)
            elif debug_types.is_container(plain):
                if own:
                    yield from self._on_container(name, plain, at)
                yield from self._in_container(name, plain, at)
            elif debug_types.is_smart_pointer(plain):
                for pointer, place in containers.targets(plain, at):
                    yield from self._behind(name, pointer, place, depth)
            elif "DW_AT_data_location" in plain.attributes:
                yield from self._in_dynamic_array(name, plain, at)
            elif plain.tag == "DW_TAG_array_type" and debug_types.size(plain) is None:
                yield from self._in_variable_length_array(name, plain, at, own)
            else:
                yield from self._in_object(name, kind, at, own, depth)
        except (NoLayout, Unknown, UnreadableMemory, IndexError):
            return

    def _in_object(
        self, name: str, kind: Any, at: int, own: bool, depth: int
    ) -> Iterator[Holder | Untyped]:
        bytes_ = debug_types.size(kind)
        if bytes_ is not None and at <= self._address < at + max(1, bytes_):
            yield Holder(_layout(name, kind), at, at + bytes_, own)
        plain = debug_types.stripped(kind)
        if not debug_types.is_record(plain) or not depth:
            return
        separator = "%" if debug_types.is_fortran(plain) else "."
        for member in debug_types.children(plain):
            offset = debug_types.member_offset(member)
            inner = debug_types.target(member)
            if offset is None or inner is None or not _may_lead(inner):
                continue
            own_name = name_of(member)
            inherits = member.tag == "DW_TAG_inheritance" or not own_name
            path = name if inherits else f"{name}{separator}{own_name}".replace("->.", "->")
            for found in self._of(path, inner, at + offset, own, depth - 1):
                # The whole object was already yielded: do not yield its parts, too.
                if not (isinstance(found, Holder) and at <= found.low < at + (bytes_ or 0)):
                    yield found

    def _behind(self, name: str, pointer: Any, at: int, depth: int) -> Iterator[Holder | Untyped]:
        start = self._frame.word(at)
        inner = debug_types.target(pointer)
        plain = debug_types.stripped(inner) if inner is not None else None
        if plain is None or debug_types.type_name(plain) in _BYTES:
            if start == self._address:
                yield Untyped(name)
            return
        if plain.tag == "DW_TAG_subroutine_type" or not start:
            return
        if name == "this" or not debug_types.is_raw_pointer(pointer):
            yield from self._in_target(name, inner, start, depth)
        elif start == self._address and not debug_types.is_container(plain):
            yield Holder(_layout(name, inner, "->"), start, None, False)
        elif debug_types.is_record(plain) and depth:
            for found in self._of(f"{name}->", inner, start, False, depth - 1):
                yield _reached(found)

    def _in_target(
        self, name: str, inner: Any, start: int, depth: int
    ) -> Iterator[Holder | Untyped]:
        # A C++ reference or `this` points to an object of this type, or of a derived one.
        is_container = debug_types.is_container(debug_types.stripped(inner))
        path = f"{name}->" if name == "this" else name
        for found in self._of(path, inner, start, not is_container, max(1, depth)):
            if isinstance(found, Holder) and found.is_counted:
                found = found._replace(is_reached=True)
            elif isinstance(found, Holder) and found.low == start:
                found = found._replace(high=None)
            yield found

    def _in_container(self, name: str, plain: Any, at: int) -> Iterator[Holder | Untyped]:
        for low, high, full, element in containers.elements(plain, at, self._frame):
            if low <= self._address < max(full, low + 1):
                bytes_ = debug_types.size(element) or 1
                layout = several(_layout(name, element), (high - low) // bytes_)
                yield Holder(layout, low, high, True, is_counted=True, full=full)

    def _on_container(self, name: str, plain: Any, at: int) -> Iterator[Holder]:
        # The container object itself; its elements are in another place.
        kind = Scalar("container", debug_types.type_name(plain), debug_types.size(plain) or 0)
        if at <= self._address < at + kind.size:
            yield Holder(Layout(kind, name, name, kind.name), at, at + kind.size, True)

    def _in_dynamic_array(self, name: str, plain: Any, at: int) -> Iterator[Holder | Untyped]:
        # Fortran's allocatable and pointer arrays, and assumed-shape dummy arguments.
        low = value(bytes(plain.attributes["DW_AT_data_location"].value), self._frame, at)
        allocated = plain.attributes.get("DW_AT_allocated")
        if not low or (allocated and not value(bytes(allocated.value), self._frame, at)):
            return
        element = debug_types.target(plain)
        bytes_ = debug_types.size(element) if element is not None else None
        if not bytes_:
            return
        count, is_dense = self._shape(plain, at, bytes_)
        high = low + count * bytes_
        if not is_dense or not 0 <= count < _MOST_ELEMENTS:
            return
        if not low <= self._address < max(high, low + 1):
            return
        kind = Array(debug_types.model(element), count, 1, True)
        layout = Layout(kind, name, name, kind.name, True)
        # Compilers check these types. An actual argument may be larger than the dummy argument.
        yield Holder(layout, low, high, True, is_view=allocated is None)

    def _in_variable_length_array(
        self, name: str, plain: Any, at: int, own: bool
    ) -> Iterator[Holder]:
        # C's arrays whose length is a variable, and Fortran's automatic arrays.
        fortran = debug_types.is_fortran(plain)
        kind = debug_types.model(debug_types.target(plain))
        dimensions = [one for one in debug_types.children(plain) if "subrange" in one.tag]
        for dimension in dimensions if fortran else reversed(dimensions):
            first = self._bound(dimension, "lower_bound", at)
            count = self._bound(dimension, "count", at)
            last = self._bound(dimension, "upper_bound", at)
            low = int(fortran) if first is None else first
            if count is None and last is not None:
                count = last - low + 1
            if count is None or not 0 < count < _MOST_ELEMENTS:
                return
            kind = Array(kind, count, low, fortran)
        if at <= self._address < at + kind.size:
            layout = Layout(kind, name, name, kind.name, fortran)
            yield Holder(layout, at, at + kind.size, own)

    def _shape(self, plain: Any, at: int, bytes_: int) -> tuple[int, bool]:
        # The number of elements, and whether they are contiguous.
        count = 1
        for dimension in debug_types.children(plain):
            if dimension.tag != "DW_TAG_subrange_type":
                continue
            first, last, stride = (
                self._bound(dimension, one, at)
                for one in ("lower_bound", "upper_bound", "byte_stride")
            )
            if last is None or (stride is not None and stride != count * bytes_):
                return 0, False
            count *= max(0, last - (1 if first is None else first) + 1)
        return count, True

    def _bound(self, dimension: Any, name: str, at: int) -> int | None:
        return bound(dimension, name, at, self._frame, self._scope, self._values)


def _reached(found: Holder | Untyped) -> Holder | Untyped:
    # A pointer may lead anywhere, so the memory may have been declared with another type.
    if isinstance(found, Untyped):
        return found
    return found._replace(is_declared=False, is_reached=found.is_counted)


def _may_lead(kind: Any) -> bool:
    # Return whether a member may lead to data in another place.
    plain = debug_types.stripped(kind)
    if plain is None:
        return False
    dynamic = "DW_AT_data_location" in plain.attributes
    return dynamic or debug_types.is_pointer(plain) or debug_types.is_record(plain)


def _layout(name: str, kind: Any, suffix: str = "") -> Layout:
    found = debug_types.model(kind)
    fortran = debug_types.is_fortran(kind)
    is_array = isinstance(found, Array)
    shown = f"*{name}" if suffix else name
    written = found.name if is_array else debug_types.type_name(kind)
    return Layout(found, f"{name}{suffix}", shown, written, fortran)
