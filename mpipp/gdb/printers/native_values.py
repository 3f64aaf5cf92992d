# SPDX-License-Identifier: MIT
"""The values of a buffer as gdb's own values, if gdb has their type.

gdb prints them faster than a printer does, and by its own settings: elements, repeats, formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gdb

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.datatypes import predefined
from mpipp.datatypes.values import views
from mpipp.datatypes.values.nodes import Node, row_plan
from mpipp.datatypes.values.views import Array, Scalar, Text
from mpipp.gdb import console, settings
from mpipp.gdb.program import symbol_names
from mpipp.render.structure import Shown
from mpipp.render.value_text import values_text
from mpipp.typetree import Datatype

# Names of the types in C and, for a selected Fortran frame, in Fortran.
_FLOATS = {"f": ("float", "real*4", "real(kind=4)"), "d": ("double", "real*8", "real(kind=8)")}
_LONG_FLOATS = ("long double", "real*16", "real(kind=16)")
_COMPLEX = (
    *("complex float", "complex double", "double complex", "complex long double"),
    *("complex*8", "complex*16", "complex(kind=4)", "complex(kind=8)"),
)
_SLACK = 256  # bytes below max-value-size: gdb 13 ends at a value that exceeds it


def of(part: Shown) -> Any:
    """A part as a value for gdb; None if only a printer can show it."""
    if isinstance(part, Node):
        if part.kind == "scalar":
            return _scalar(part)
        return _text(part) if part.kind == "text" else _array(part)
    if type(part) is int and -(1 << 63) <= part < 1 << 63:
        return part
    return None


def text(node: Node) -> str:
    """A node as text; unreadable memory becomes an error text."""
    try:
        return values_text(node, settings.limits())
    except MpippError as error:
        return f"<{error}>"


def _scalar(node: Node) -> Any:
    assert isinstance(node.view, Scalar)
    kind = _type(node.view)
    if kind is None:
        return None
    try:
        raw = node.raw()
    except UnreadableMemory:
        return None
    return gdb.Value(raw, kind)


def _text(node: Node) -> Any:
    assert isinstance(node.view, Text)
    if node.width != 1 or not 0 < node.count <= _most():
        return None
    try:
        raw = bytes(node.characters(0, node.count))
    except UnreadableMemory:
        return None
    return gdb.Value(raw, gdb.Value("c").type.target().array(node.count - 1))


def _array(node: Node) -> Any:
    # An array of numbers, contiguous or not; None for other nodes.
    view = node.view
    if not isinstance(view, Array) or not isinstance(view.view, Scalar):
        return None
    kind = _type(view.view)
    size = view.view.leaf.size
    # A Fortran array would be printed in parentheses, but the text around it has C's braces.
    if kind is None or not _in_c() or not 0 < view.count * size <= _most():
        return None
    try:
        raw = b"".join(_items(node, view))
    except UnreadableMemory:
        return None
    return gdb.Value(raw, kind.array(view.count - 1))


def _items(node: Node, view: Array) -> Iterator[bytes]:
    plan = row_plan(view)
    if plan is None:
        return (node.child(i).raw() for i in range(view.count))
    rows = node.rows(plan, 0, view.count)
    return (raw * copies for (raw,), _, copies in rows)  # type: ignore[misc, operator]


def _in_c() -> bool:
    # Return whether gdb's current language is C or a related one.
    return symbol_names.text(gdb.Value("c").type.target()) == "char"


def _most() -> int:
    limit = gdb.parameter("max-value-size")
    return (1 << 16 if limit is None else int(limit)) - _SLACK


def type_of(datatype: Datatype) -> Any:
    """The C type of a basic datatype, or a C type of its size. Raises MpippError."""
    view = views.of(datatype)
    if not isinstance(view, Scalar):
        raise MpippError(f"{datatype.name} has no C type: it is a pair")
    kind = _type(view)
    if kind is not None:
        return kind
    size = view.leaf.size
    if view.leaf.width == 1:
        return gdb.Value("c").type.target()
    value_class = predefined.value_class(datatype.name)
    if value_class == "float":
        return _named(_LONG_FLOATS, size) or _bytes(size)
    if value_class == "complex":
        return _named(_COMPLEX, size) or _bytes(size)
    return _integer(size, False) if size in (1, 2, 4, 8) else _bytes(size)


def _type(view: Scalar) -> Any:
    leaf = view.leaf
    code = leaf.code or ""
    if leaf.format == "%d" and code.lower() in ("b", "h", "i", "q"):
        return _integer(leaf.size, code.islower())
    return _named(_FLOATS.get(code, ()), leaf.size)


def _named(names: Sequence[str], size: int) -> Any:
    # The type that has one of these names, and this size; None if there is none.
    for name in names:
        try:
            kind = console.lookup_type(name)
        except gdb.error:
            continue
        if kind.sizeof == size:
            return kind
    return None


def _bytes(size: int) -> Any:
    return _integer(1, False).array(size - 1)


def _integer(size: int, signed: bool) -> Any:
    architecture = gdb.selected_inferior().architecture()
    if hasattr(architecture, "integer_type"):  # since gdb 12
        return architecture.integer_type(8 * size, signed)
    # Look the type up in the language of the frame, C or Fortran. gdb would show characters as
    # text.
    names = {2: ("short", "integer*2"), 4: ("int", "integer*4"), 8: ("long long", "integer*8")}
    for name in names.get(size, ()):
        try:
            kind = console.lookup_type(name if signed else f"unsigned {name}")
        except gdb.error:
            continue
        if kind.sizeof == size:
            return kind
    return None
