# SPDX-License-Identifier: MIT
"""The layout of the variable, expression or type that the user names in a command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.parser import expressions
from mpipp.gdb.program import arrays, cxx_containers, debug_types, symbol_names
from mpipp.gdb.program.debug_types import Names
from mpipp.program_types.compare import Layout, several
from mpipp.program_types.types import Array, Record

_FORTRAN_TYPE = re.compile(r"(?:type|class)\s*\(\s*(\w+)\s*\)$", re.IGNORECASE)
_POINTED = re.compile(r"\*\s*(\w[\w.\[\]]*(?:->[\w.\[\]]+)*)$")
# An expression for several consecutive objects: p[0]@10 or *p@10.
_SEVERAL = re.compile(r"(?:\*\s*(\w+)|(\w[\w.\->]*)\[0\])\s*@\s*\w+$")
_VTAB = re.compile(r"__vtab_\w*_([A-Z]\w*)\b")  # gfortran's _vptr table of a derived type
_KEYWORD = re.compile(r"(?:struct|union|class|enum)\s+")
_DOMAINS = ("SYMBOL_STRUCT_DOMAIN", "SYMBOL_TYPE_DOMAIN")
_REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


class Object(NamedTuple):
    """The layout of an object in the program, and its address. For a pointer, both are the
    target's.

    `open` is true if the number of consecutive objects is unknown: for a type, or a pointer.
    """

    layout: Layout
    address: int | None
    open: bool


def of_text(text: str, access: bool = False) -> Object:
    """The layout of a variable, an expression, or a type. Raises MpippError.

    With `access`, the layout marks private members.
    """
    language = debug_types.language_names(access)
    try:
        value = _value(text)
    except gdb.error as error:
        kind = _type(text, language)
        if kind is None:
            raise MpippError(_unknown(str(error))) from None
        root = _FORTRAN_TYPE.sub(r"\1", _KEYWORD.sub("", text))
        root = re.sub(r"\s*\[.*", "", root)
        name = _type_text(kind, text, language)
        _expect_members(kind, text)
        model = debug_types.model(kind, language)
        layout = Layout(model, root, name, name, language.fortran)
        return Object(layout, None, not isinstance(model, Array))
    if text.startswith("$") and value.type.code == gdb.TYPE_CODE_VOID:
        raise MpippError(f"{text} has no value: name a variable, an expression or a type")
    return of_value(value, text, language)


def of_value(value: gdb.Value, text: str, language: Names) -> Object:
    """The layout of a value of the program that the user wrote as `text`. Raises MpippError."""
    plain = value.type.strip_typedefs()
    elements = cxx_containers.elements(value)
    if elements:
        return _elements(value, elements, text, language)
    if elements == 0:
        raise MpippError(f"{text} is an empty container: name the type of its elements")
    _expect_members(value.type, text)
    if language.fortran and _is_polymorphic(plain):
        return of_value(_of_dynamic_type(value, language), text, language)
    if plain.code == gdb.TYPE_CODE_PTR:
        return _pointee(value, _target(value), text, language)
    kind = debug_types.model(value.type, language)
    if isinstance(kind, Array) and not kind.size:
        raise MpippError(_without_length(kind, text))
    pointed = _POINTED.match(text)
    repeated = _SEVERAL.match(text)
    root = f"{pointed[1]}->" if pointed else text
    root = (repeated[1] or repeated[2]) if repeated else root
    layout = Layout(kind, root, text, _name(kind, value.type, language), language.fortran)
    # gdb warns about the first element of an empty array.
    address = _address(value) if kind.size else None
    return Object(layout, address, bool(pointed))


def _without_length(kind: Array, text: str) -> str:
    if kind.fortran:
        return f"{text} has no elements, or gdb does not know how many: name them as FIRST@COUNT"
    return f"the length of {text} is not known: name the elements as {text}[0]@COUNT"


def _is_polymorphic(plain: gdb.Type) -> bool:
    # gfortran's descriptor of class(base). No Fortran name begins with an underscore.
    return plain.code == gdb.TYPE_CODE_STRUCT and {"_data", "_vptr"} <= {
        symbol_names.field(one) for one in symbol_names.fields(plain)
    }


def _of_dynamic_type(value: gdb.Value, language: Names) -> gdb.Value:
    # The target, cast to its dynamic type: the symbol of its _vptr table shows the type.
    data = value["_data"]
    try:
        found = _VTAB.search(console.output("info symbol {:#x}", int(value["_vptr"])))
        kind = _type(f"type({found[1].lower()})", language) if found else None
    except (MpippError, gdb.error):
        return data
    return data if kind is None else data.cast(kind.pointer())


def _expect_members(kind: gdb.Type, text: str) -> None:
    if cxx_containers.is_container(kind):
        raise MpippError(
            f"{text} is a container, whose elements lie elsewhere: name an element, or its type"
        )
    if cxx_containers.is_pointer(kind):
        raise MpippError(
            f"{text} is a smart pointer, whose object lies elsewhere: name the object, or its type"
        )


def _target(value: gdb.Value) -> gdb.Type:
    # Dereference the value: it knows the bounds of a variable length array, the type does not.
    try:
        return value.dereference().type
    except gdb.error:
        return value.type.strip_typedefs().target()


def _pointee(value: gdb.Value, target: gdb.Type, text: str, language: Names) -> Object:
    try:
        kind = debug_types.model(target, language)
    except MpippError as error:
        raise MpippError(f"{text} is a pointer to {symbol_names.text(target)}: {error}") from None
    try:
        address: int | None = int(value)
    except gdb.error:
        address = None
    if language.fortran:  # in Fortran, a pointer is used like its target, a single object
        if isinstance(kind, Array) and not kind.size:
            raise MpippError(_without_length(kind, text))
        root = re.sub(r"^\*", "", text)
        layout = Layout(kind, root, root, _name(kind, target, language), True)
        return Object(layout, address, False)
    root = f"{text}->" if re.fullmatch(r"[\w.\[\]>-]+", text) else f"({text})->"
    layout = Layout(kind, root, f"*{text}", _name(kind, target, language), language.fortran)
    return Object(layout, address, True)


def _elements(value: gdb.Value, start: int, text: str, language: Names) -> Object:
    # The elements of a container. If their number is unknown, treat them like a pointer's target.
    try:
        kind = value.type.strip_typedefs().template_argument(0)
    except RuntimeError:  # the debug information lacks the element type
        kind = None
    if not isinstance(kind, gdb.Type):
        raise MpippError(f"gdb does not know the type of the elements of the container {text}")
    element = debug_types.model(kind, language)
    layout = Layout(element, f"{text}->", f"{text}[0]", _name(element, kind, language))
    end = cxx_containers.end(value)
    if end is None or end <= start or not element.size:
        return Object(layout, start, True)
    return Object(several(layout, (end - start) // element.size), start, False)


def _name(kind: object, declared: gdb.Type, language: Names) -> str:
    if isinstance(kind, Record):
        return debug_types.type_name(declared, language)
    name = getattr(kind, "name", None)
    return symbol_names.text(declared) if name is None else str(name)


def _value(text: str) -> gdb.Value:
    # gdb reads the memory of a value only on demand, and only the type is used here.
    with expressions.without_calls(), _of_any_size():
        value = console.value(text)
    return value.referenced_value() if value.type.code in _REFERENCES else value


@contextmanager
def _of_any_size() -> Iterator[None]:
    before = gdb.parameter("max-value-size")
    console.execute("set max-value-size unlimited")
    try:
        yield
    finally:
        console.execute("set max-value-size {}", "unlimited" if before is None else before)


def _type(text: str, language: Names) -> gdb.Type | None:
    if language.fortran:
        found = _FORTRAN_TYPE.match(text)
        name = found[1] if found else text
        try:
            block = gdb.selected_frame().block()
        except (gdb.error, RuntimeError):
            return None
        # Newer versions of gdb keep types in another symbol domain.
        domains = [getattr(gdb, domain) for domain in _DOMAINS if hasattr(gdb, domain)]
        found_in = (gdb.lookup_symbol(name, block, domain)[0] for domain in domains)
        symbol = next((each for each in found_in if each is not None), None)
        if symbol is None and found:
            raise MpippError(f"there is no derived type {name} here")
        return symbol.type if symbol is not None else None
    try:
        with expressions.without_calls():
            return console.value(f"*({text} *) 0").type
    except gdb.error:
        return None


def _type_text(kind: gdb.Type, text: str, language: Names) -> str:
    named = kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
    return debug_types.type_name(kind, language) if named else text


def _unknown(message: str) -> str:
    message = message.partition(".  Use the ")[0].rstrip(".")
    try:
        debugged = gdb.selected_frame().find_sal().symtab is not None
    except gdb.error:  # no process
        debugged = True
    if debugged and "unknown type" not in message and "No symbol table" not in message:
        return message
    where = "here" if debugged else "for the selected frame"
    return f"{message}: there is no debug information {where}; compile with -g, or select a frame"


def _address(value: gdb.Value) -> int | None:
    try:
        return arrays.address(value)
    except gdb.error:
        return None
