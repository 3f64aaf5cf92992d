# SPDX-License-Identifier: MIT
"""Values of a function's variables as short text: "rank = 1, row = {0, 1.5}, u = 0x0"."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from mpipp.common.errors import UnreadableMemory
from mpipp.common.text.sanitize import escape, plain
from mpipp.program_types.types import Array, Record, Scalar, Type
from mpipp.symbolizer.inlined_functions import name_of
from mpipp.symbolizer.stack_variables import visible
from mpipp.symbolizer.variables import debug_types
from mpipp.symbolizer.variables.debug_types import NoLayout
from mpipp.symbolizer.variables.expressions import CallMemory, Frame, Unknown, value
from mpipp.symbolizer.variables.scope import Scope

_MOST = 16  # variables of a function
_LONGEST = 72  # characters of a value
_STRING = 32  # characters of the string at a pointer
_FLOATS = {4: "=f", 8: "=d"}


class Style(NamedTuple):
    """The length of values as text.

    Attributes:
        elements: the elements of an array, or members of a record, that are shown.
        digits: the digits of a float and of a double.
        string: the characters of a string that are shown.
    """

    elements: int = 4
    digits: tuple[int, int] = (6, 15)
    string: int = _STRING


_SHORT = Style()


def values(scope: Scope, memory: CallMemory) -> list[str]:
    """Return the variables that are declared before the line at which the function continues.

    Variables without an address are left out, because registers are unknown. Raises pyelftools'
    exceptions for damaged data.
    """
    base = scope.entry.attributes.get("DW_AT_frame_base")
    is_block = base is not None and isinstance(base.value, (list, tuple, bytes))
    frame = Frame(scope.cfa, bytes(base.value) if is_block else b"", scope.bias, memory)
    found: dict[str, str] = {}
    for entry in visible(scope.entry, scope.address, scope.debug):
        name = name_of(entry)
        if not name or _is_made(entry) or _is_later(entry, scope.line):
            continue
        found.pop(name, None)  # a variable of an outer block
        try:
            found[name] = _value(entry, frame)
        except (Unknown, UnreadableMemory, NoLayout, IndexError):
            continue
    shown = [f"{plain(name, '')} = {text}" for name, text in found.items()]
    return shown[:_MOST] + ["..."] * (len(shown) > _MOST)


def _is_made(entry: Any) -> bool:
    return "DW_AT_artificial" in entry.attributes


def _is_later(entry: Any, line: int) -> bool:
    # A variable that is declared later has no value yet. Parameters have a value from the start.
    declared = entry.attributes.get("DW_AT_decl_line")
    is_local = entry.tag == "DW_TAG_variable" and not debug_types.is_fortran(entry)
    return is_local and bool(line) and declared is not None and declared.value >= line


def _value(entry: Any, frame: Frame) -> str:
    location, kind = entry.attributes.get("DW_AT_location"), debug_types.target(entry)
    if location is None or kind is None or not isinstance(location.value, (list, tuple, bytes)):
        raise Unknown
    at = value(bytes(location.value), frame)
    plain_kind = debug_types.stripped(kind)
    if plain_kind is None:
        raise NoLayout
    for attribute, word in (("DW_AT_allocated", "allocated"), ("DW_AT_associated", "associated")):
        condition = plain_kind.attributes.get(attribute)
        if condition is not None:
            return word if value(bytes(condition.value), frame, at) else f"not {word}"
    if debug_types.is_pointer(plain_kind):
        return pointer(plain_kind, frame.word(at), frame)
    if debug_types.is_container(plain_kind):
        raise NoLayout
    text = "".join(parts(debug_types.model(kind), at, frame))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def pointer(kind: Any, address: int, frame: Frame) -> str:
    """Return a pointer as text: its address, and the string at it if it is a char *."""
    inner = debug_types.stripped(debug_types.target(kind) or kind)
    text = f"{address:#x}"
    if inner is None or debug_types.type_name(inner) != "char":
        return text
    try:
        return f"{text} {string(frame.memory.read(address, _STRING), _STRING)}"
    except UnreadableMemory:
        return text


def parts(kind: Type, at: int, frame: Frame, style: Style = _SHORT) -> Iterator[str]:
    """Yield the text of an object of a type at an address, piece by piece."""
    if isinstance(kind, Scalar):
        yield scalar(kind, frame.memory.read(at, kind.size), style)
    elif isinstance(kind, Array):
        yield from _array(kind, at, frame, style)
    else:
        yield from _record(kind, at, frame, style)


def _array(kind: Array, at: int, frame: Frame, style: Style) -> Iterator[str]:
    element = kind.element
    if isinstance(element, Scalar) and element.kind == "char" and element.size == 1:
        yield string(frame.memory.read(at, min(kind.count, style.string)), style.string)
        return
    yield "(" if kind.fortran else "{"
    most = style.elements if isinstance(element, Scalar) else 1
    for number in range(min(kind.count, most)):
        yield ", " if number else ""
        yield from parts(element, at + number * kind.distance, frame, style)
    yield ", ..." if kind.count > most else ""
    yield ")" if kind.fortran else "}"


def _record(kind: Record, at: int, frame: Frame, style: Style) -> Iterator[str]:
    yield "{"
    for number, member in enumerate(kind.members[: style.elements]):
        yield f"{', ' if number else ''}{plain(member.name, '')} = "
        yield from parts(member.type, at + member.offset, frame, style)
    yield ", ..." if len(kind.members) > style.elements else ""
    yield "}"


def scalar(kind: Scalar, data: bytes, style: Style = _SHORT) -> str:
    """Return the text of a scalar's bytes."""
    number = int.from_bytes(data, sys.byteorder, signed=kind.kind == "signed")
    if kind.kind in ("signed", "unsigned", "enum"):
        return str(number)
    if kind.kind == "float" and len(data) in _FLOATS:
        return _float(data, style)
    if kind.kind == "complex" and len(data) // 2 in _FLOATS:
        half = len(data) // 2
        return f"({_float(data[:half], style)}, {_float(data[half:], style)})"
    if kind.kind == "char":
        return f"'{escape(number, chr(39))}'"
    if kind.kind == "bool":
        return "true" if number else "false"
    if kind.kind == "logical":
        return ".true." if number else ".false."
    if kind.kind in ("pointer", "reference"):
        return f"{number:#x}"
    return "..."


def _float(data: bytes, style: Style) -> str:
    (number,) = struct.unpack(_FLOATS[len(data)], data)
    return f"{number:.{style.digits[len(data) == 8]}g}"


def string(data: bytes, most: int) -> str:
    """Return the text of characters, of which at most `most` were read."""
    text, zero, _ = data.partition(b"\0")
    shown = "".join(escape(byte, '"') for byte in text.rstrip(b" "))
    return f'"{shown}"{"" if zero or len(data) < most else "..."}'
