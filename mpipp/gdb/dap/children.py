# SPDX-License-Identifier: MIT
"""The text of a value of the program, and its children, which are read only when the client opens
it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb import console
from mpipp.gdb.program import arrays, symbol_names

_LONGEST = 400  # characters of a value
_MOST_BYTES = 4096  # an array with more bytes is not read for its text
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_RECORDS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
_FORMAT = {"max_elements": 16, "repeat_threshold": 8, "max_depth": 2}


class Child(NamedTuple):
    """An element, a member or a target of a value, which the client shows one level deeper.

    Attributes:
        value: a value of gdb, or a number or text that a pretty-printer returned.
        expression: denotes the child in its frame; "" if no expression does.
        indices: in Fortran, the indices of the dimensions that the client has opened so far.
    """

    name: str
    value: Any
    expression: str = ""
    indices: tuple[int, ...] = ()


class Children(NamedTuple):
    """The numbers of children of a value. -1 stands for one or more, if the number is unknown."""

    named: int = 0
    indexed: int = 0


def printer(value: Any) -> Any:
    """Return the pretty-printer of a value; None if it has none."""
    if not isinstance(value, gdb.Value):
        return None
    try:
        return gdb.default_visualizer(value)
    except (gdb.error, MpippError):
        return None


def text(value: Any) -> str:
    """Return a value in one line."""
    if not isinstance(value, gdb.Value):
        return plain(str(value), "")[:_LONGEST]
    try:
        found = _printed(value)
    except (gdb.error, MpippError, ValueError, RecursionError, MemoryError) as error:
        return f"<{plain(' '.join(str(error).split()), '')}>"
    found = plain(" ".join(found.split()), "")
    return found if len(found) <= _LONGEST else f"{found[: _LONGEST - 3]}..."


def _printed(value: gdb.Value) -> str:
    own = printer(value)
    if own is not None and hasattr(own, "to_string"):
        found = own.to_string()
        if isinstance(found, gdb.Value):
            return console.decoded(lambda: found.format_string(**_FORMAT))
        if found is not None:
            is_text = getattr(own, "display_hint", lambda: None)() == "string"
            return f'"{found}"' if is_text else str(getattr(found, "value", lambda: found)())
        return "{...}"
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_ARRAY and kind.sizeof > _MOST_BYTES:
        return symbol_names.text(value.type)
    return console.decoded(lambda: value.format_string(**_FORMAT))


def type_text(value: Any) -> str:
    """Return the type of a value; "" if it has none."""
    return symbol_names.text(value.type) if isinstance(value, gdb.Value) else ""


def count(value: Any) -> Children:
    """Return the numbers of children of a value."""
    if not isinstance(value, gdb.Value):
        return Children()
    own = printer(value)
    if own is not None:
        if not hasattr(own, "children"):
            return Children()
        number = own.num_children() if hasattr(own, "num_children") else -1
        number = -1 if number is None else number
        hint = getattr(own, "display_hint", lambda: None)()
        is_array = hint == "array" and number > 0
        return Children(0, number) if is_array else Children(number, 0)
    kind = value.type.strip_typedefs()
    if kind.code in _REFERENCES:
        return count(value.referenced_value())
    if kind.code == gdb.TYPE_CODE_ARRAY:
        return Children(0, 0 if arrays.is_open(kind) else _length(kind))
    if kind.code in _RECORDS:
        return Children(len(_fields(kind)), 0)
    return Children(1 if _is_followed(value, kind) else 0, 0)


def children(parent: Child, start: int, number: int) -> list[Child]:
    """Return `number` children from index `start` on, or all of them if `number` is 0. Raises
    gdb.error and MpippError."""
    stop = start + number if number > 0 else None
    own = printer(parent.value)
    if own is not None:
        return list(_of_printer(own, start, stop))
    return list(islice(_of_value(parent, parent.value, start, stop), 0, number or None))


def _of_printer(own: Any, start: int, stop: int | None) -> Iterator[Child]:
    if hasattr(own, "child") and hasattr(own, "num_children"):
        last = own.num_children()
        for i in range(start, last if stop is None else min(stop, last)):
            yield _named(*own.child(i))
        return
    for name, value in islice(own.children(), start, stop):
        yield _named(name, value)


def _named(name: str, value: Any) -> Child:
    return Child(plain(name, ""), value)


def _of_value(parent: Child, value: gdb.Value, start: int, stop: int | None) -> Iterator[Child]:
    kind = value.type.strip_typedefs()
    if kind.code in _REFERENCES:
        yield from _of_value(parent, value.referenced_value(), start, stop)
    elif kind.code == gdb.TYPE_CODE_ARRAY:
        yield from _elements(parent, value, kind, start, stop)
    elif kind.code in _RECORDS:
        dot = "%" if console.language() == "fortran" else "."
        for one in _fields(kind)[start:stop]:
            name = symbol_names.field(one)
            expression = f"{_inner(parent.expression)}{dot}{name}" if identifier(name) else ""
            if one.is_base_class or not name:  # its members are accessed like members of the whole
                expression = parent.expression
            yield Child(name or "<anonymous>", value[one], expression if parent.expression else "")
    elif start == 0 and _is_followed(value, kind):
        expression = f"*{_inner(parent.expression)}" if parent.expression else ""
        yield Child(expression or "*", value.dereference(), expression)


def _elements(
    parent: Child, value: gdb.Value, kind: gdb.Type, start: int, stop: int | None
) -> Iterator[Child]:
    low, high = kind.range()
    last = high + 1 if stop is None else min(high + 1, low + stop)
    is_fortran = console.language() == "fortran"
    # In gdb's array type, the outermost dimension varies slowest. In Fortran it is the last.
    inner = _dimensions(kind.target()) if is_fortran else 0
    for i in range(low + start, last):
        if not is_fortran:
            expression = f"{_inner(parent.expression)}[{i}]" if parent.expression else ""
            yield Child(f"[{i}]", value[i], expression)
            continue
        indices = (i, *parent.indices)
        name = f"({','.join([':'] * inner + list(map(str, indices)))})"
        yield Child(
            name, value[i], f"{parent.expression}{name}" if parent.expression else "", indices
        )


def identifier(name: str) -> str:
    """Return a name if it can be part of an expression, else "": debug information may contain any
    text as a name."""
    return name if _IDENTIFIER.fullmatch(name) else ""


def _inner(expression: str) -> str:
    return expression if expression.startswith("(") or identifier(expression) else f"({expression})"


def _dimensions(kind: gdb.Type) -> int:
    kind = kind.strip_typedefs()
    return 1 + _dimensions(kind.target()) if kind.code == gdb.TYPE_CODE_ARRAY else 0


def _length(kind: gdb.Type) -> int:
    low, high = kind.range()
    return max(0, int(high) - int(low) + 1)


def _fields(kind: gdb.Type) -> list[gdb.Field]:
    return [one for one in symbol_names.fields(kind) if hasattr(one, "bitpos")]


def _is_followed(value: gdb.Value, kind: gdb.Type) -> bool:
    # Return whether a pointer has a child: the value that it points to.
    if kind.code != gdb.TYPE_CODE_PTR:
        return False
    target = kind.target().strip_typedefs()
    try:
        return target.code not in (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_FUNC) and int(value) != 0
    except (gdb.error, MpippError):
        return False
