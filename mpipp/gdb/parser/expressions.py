# SPDX-License-Identifier: MIT
"""Parse the argument of `mpipp`: TYPE[2][5] ADDR COUNT, each an expression of the program.

The shortest prefix that is a handle is TYPE; brackets and (KIND) after it are an element address.
So `types[3][0][1]` is element [0][1] of the datatype types[3].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import gdb

from mpipp.common.errors import MpippError
from mpipp.gdb import console
from mpipp.gdb.program import arrays, cxx_containers, handles, symbol_names
from mpipp.gdb.program.sessions import Session
from mpipp.model import Broken, DatatypeRecord, Object

_KIND = re.compile(r"\(\s*\w+\s*\)")
_PREDEFINED = re.compile(r"MPI_\w+")
_DATA = re.compile(r"(.+?)\s*(\.|->)\s*data\s*\(\s*\)$")  # a call of `data()` of a C++ container
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class Target(NamedTuple):
    """The target of a command: an MPI object, an element address in it, and the rest."""

    text: str  # the expression of the handle
    found: Object
    element: str  # "[2][5]", with the indices evaluated; "" if there is none
    rest: str


class NoHandle(MpippError):
    """An error for an expression whose value is not an MPI handle."""


def target(text: str, session: Session) -> Target:
    """Split "TYPE[2][5] REST". Raises MpippError if no prefix is the handle of an MPI object."""
    problems: list[str] = []
    for end in ends(text):
        prefix = text[:end]
        try:
            value = evaluate(prefix)
        except MpippError as error:
            problems.append(str(error))
            found = _constant(prefix, session)
        else:
            if value.type.code == gdb.TYPE_CODE_INTERNAL_FUNCTION and text[end:].strip():
                continue  # a longer prefix calls it: $mpi_arg("datatype")
            found = _object(prefix, value, session, problems)
        if found is not None:
            address, rest = element(text[end:])
            return Target(prefix, found, address, rest.strip())
    known = [problem for problem in problems if problem.startswith(("No symbol", "<"))]
    if problems and not known:
        raise NoHandle(problems[0])
    raise MpippError((known or ["the expression of an MPI handle is missing"])[0])


def denoted(value: gdb.Value, text: str, session: Session) -> Object:
    """The MPI object whose handle is `value`, which the user wrote as `text`. Raises MpippError."""
    problems: list[str] = []
    found = _object(text, value, session, problems)
    if found is None:
        raise NoHandle(problems[0])
    return found


def expect_elements(found: DatatypeRecord, text: str) -> None:
    """Raise MpippError if the datatype, which the user wrote as `text`, is MPI_DATATYPE_NULL."""
    if found.header.null:
        name = found.header.name
        which = name if text == name else f"{text} is {name}: it"
        raise MpippError(f"{which} has no elements")


def evaluate(text: str) -> gdb.Value:
    """The value of an expression, without calling functions of the program. Raises MpippError."""
    with without_calls():
        try:
            value = console.value(text)
            if value.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                value = value.referenced_value()
            if value.is_lazy and value.type.code != gdb.TYPE_CODE_ARRAY:
                value.fetch_lazy()
        except gdb.error as error:
            raise MpippError(str(error).rstrip(".")) from None
    return value


def numbered(kind: str, text: str, session: Session) -> Object | None:
    """The object of this kind whose Fortran INTEGER handle is the value of an expression, else
    None."""
    try:
        value = evaluate(text)
    except MpippError:
        return None
    if handles.of(value) is not None or value.type.strip_typedefs().code != gdb.TYPE_CODE_INT:
        return None
    return _numbered(kind, int(value), session)


def number(text: str) -> int:
    """The value of an expression as an integer. Raises MpippError."""
    try:
        value = evaluate(text)
        number = int(value)
    except (gdb.error, TypeError):
        raise MpippError(f"{text} is not a number") from None
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_PTR):
        raise MpippError(f"{text} is not an integer")
    return number


def address_and_count(text: str) -> tuple[int, int]:
    """Parse "ADDR [COUNT]"; COUNT is 1 by default. Raises MpippError."""
    try:
        return _address(text), 1
    except MpippError as error:
        split = _last_word(text)
        if split is None:
            raise
        try:
            address = _address(split[0])
        except MpippError:
            raise error from None
        count = number(split[1])
    if count < 0:
        raise MpippError(f"the count {count} is negative")
    return address, count


@contextmanager
def without_calls() -> Iterator[None]:
    """Forbid gdb to call functions of the program while it evaluates expressions."""
    before = gdb.parameter("may-call-functions")
    console.execute("set may-call-functions off")
    try:
        yield
    finally:
        console.execute("set may-call-functions {}", "on" if before else "off")


def ends(text: str) -> Iterator[int]:
    """The positions where a prefix may end, outside all brackets and quotes, shortest first."""
    open_brackets: list[str] = []
    quote = ""
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
            continue
        before = text[:i].strip()
        if not open_brackets and before and (character in "[(" or character.isspace()):
            yield len(text[:i].rstrip())
        if character in "\"'":
            quote = character
        elif character in _CLOSING:
            open_brackets.append(_CLOSING[character])
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
    if text.strip():
        yield len(text.rstrip())


def _object(text: str, value: gdb.Value, session: Session, problems: list[str]) -> Object | None:
    handle = handles.of(value)
    if handle is not None:
        found = handles.denoted(handle, session)
        if found is None:
            raise MpippError(
                f"{text} is not an existing MPI_{handle.kind.capitalize()}: mpipp knows none with "
                f"the handle {handle.value:#x}"
            )
        return _sound(found)
    if value.type.strip_typedefs().code != gdb.TYPE_CODE_INT:
        problems.append(f"{text} is not an MPI handle: its type is {symbol_names.text(value.type)}")
        return None
    # A Fortran INTEGER, or a C handle whose type is unknown. Take the value as a datatype, the
    # usual case.
    integer = int(value)
    found = _numbered("datatype", integer, session)
    if found is None:
        problems.append(f"{text} is not an MPI handle: no datatype has the number {integer}")
    return found


def _numbered(kind: str, integer: int, session: Session) -> Object | None:
    found = session.registry.by_fint(kind, integer) or session.registry.find(kind, integer)
    return None if found is None else _sound(found)


def _constant(name: str, session: Session) -> Object | None:
    # MPI_DOUBLE, MPI_COMM_WORLD ...: gdb does not know these macros.
    if not _PREDEFINED.fullmatch(name):
        return None
    for kind in ("datatype", "comm"):
        for found in session.registry.objects(kind):
            if not isinstance(found, Broken) and found.header.name == name:
                return found
    return None


def _sound(found: Object | Broken) -> Object:
    if isinstance(found, Broken):
        raise MpippError(found.reason)
    return found


def element(text: str) -> tuple[str, str]:
    """Split "[2][5] REST". Each index is an expression. Raises MpippError."""
    address = ""
    while True:
        kind = _KIND.match(text)
        if kind is not None:
            address += kind.group()
            text = text[kind.end() :]
        elif text.startswith("["):
            end = _matching(text)
            address += f"[{number(text[1:end])}]"
            text = text[end + 1 :]
        else:
            return address, text


def _matching(text: str) -> int:
    # The position of the bracket that closes the bracket at text[0].
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "[") - (character == "]")
        if depth == 0:
            return i
    raise MpippError(f'there is no "]" after {text}')


def _last_word(text: str) -> tuple[str, str] | None:
    blanks = [end for end in ends(text) if end < len(text) and text[end].isspace()]
    return (text[: blanks[-1]], text[blanks[-1] :].strip()) if blanks else None


def _address(text: str) -> int:
    # gdb would have to call data() in the program. mpipp finds the elements without that.
    container = _DATA.match(text)
    if container is None:
        return address_of(evaluate(text), text)
    name, dot = container.groups()
    return address_of(evaluate(name if dot == "." else f"*({name})"), text)


def address_of(value: gdb.Value, text: str) -> int:
    """The value of a pointer or integer, else the address of the value. Raises MpippError."""
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        return int(value)
    elements = cxx_containers.elements(value)
    if elements is not None:
        return elements
    fortran = console.language() == "fortran"
    if kind.code == gdb.TYPE_CODE_INT and not (fortran and _place(value) is not None):
        return int(value) % (1 << 64)
    place = _place(value)
    if place is None:
        raise MpippError(f"{text} is not an address: its type is {symbol_names.text(value.type)}")
    return place


def _place(value: gdb.Value) -> int | None:
    # The address of a variable; None if it is not in memory.
    try:
        return arrays.address(value)
    except gdb.error:
        return None
