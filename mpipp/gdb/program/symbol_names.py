# SPDX-License-Identifier: MIT
"""Names of types, functions, variables and files, sanitized and in one line.

The author of the program's file has chosen the names, and may have used any bytes. Bytes that are
not UTF-8, and control characters for terminals, are written as `\033`.
"""

from __future__ import annotations

from collections.abc import Callable

import gdb

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.gdb import console

_DEEPEST = 64  # nested types without a name, each the target of another
_MOST = 256  # limit of the types that are checked before one type is named

# Types that gdb names by their target, and types without a name in Fortran.
_DERIVED = (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF, gdb.TYPE_CODE_FUNC)
_PLAIN = (gdb.TYPE_CODE_VOID, gdb.TYPE_CODE_ERROR, gdb.TYPE_CODE_RANGE, gdb.TYPE_CODE_STRING)
_WORDS = {
    gdb.TYPE_CODE_STRUCT: "struct {...}",
    gdb.TYPE_CODE_UNION: "union {...}",
    gdb.TYPE_CODE_ENUM: "enum {...}",
    gdb.TYPE_CODE_PTR: "*",
    gdb.TYPE_CODE_REF: "&",
    gdb.TYPE_CODE_FUNC: "(...)",
}


def function(frame: gdb.Frame) -> str:
    """The function of a frame; "" if it has no name."""
    return _name(frame.name)


def symbol(one: gdb.Symbol) -> str:
    """The name of a variable or a function."""
    return _name(lambda: one.print_name)


def field(one: gdb.Field) -> str:
    """A member of a struct, or a base class; "" if it has no name."""
    return plain(one.name or "", "")


def file(table: gdb.Symtab) -> str:
    """The name of a source file, as in the compiler's command."""
    return _name(lambda: table.filename)


def path(table: gdb.Symtab) -> str:
    """The path at which gdb finds a source file."""
    return _name(table.fullname)


def library(address: int) -> str:
    """The path of the library that contains an address of code; "" if there is none."""
    return _name(lambda: gdb.solib_name(address))


def program() -> str:
    """The path of the selected inferior's program; "" if gdb does not know it."""
    return _name(lambda: gdb.current_progspace().filename)


def of_type(kind: gdb.Type) -> str:
    """The name of a type, without qualifiers; "" if it has none."""
    return _name(lambda: kind.unqualified().name)


def tag(kind: gdb.Type) -> str:
    """The name after the word struct, union or enum; "" if the type has none."""
    return _name(lambda: kind.unqualified().tag)


def fields(kind: gdb.Type) -> list[gdb.Field]:
    """The members of a struct. Raises MpippError if gdb's Python cannot decode a name."""
    try:
        return list(kind.fields())
    except UnicodeDecodeError as error:
        name = plain(error.object.decode("utf-8", "surrogateescape"), "")
        raise MpippError(f"gdb cannot read the member {name}: its name is not UTF-8") from None


def member(value: gdb.Value, one: gdb.Field) -> gdb.Value:
    """A member of a struct. Raises gdb.error, also if gdb's Python cannot encode its name."""
    try:
        return value[one]
    except UnicodeEncodeError as error:  # the locale lacks a character of the name
        raise gdb.error(str(error)) from None


def text(kind: gdb.Type) -> str:
    """A type in gdb's words, in the program's language."""
    if kind.code not in _DERIVED and of_type(kind):
        return _name(lambda: str(kind))
    return _text(kind, console.language() == "fortran", 0)


def _text(kind: gdb.Type, fortran: bool, depth: int) -> str:
    if _is_written(kind, fortran, [_MOST], depth):
        return _name(lambda: str(kind))
    if kind.code not in _DERIVED or depth == _DEEPEST:
        return _WORDS.get(kind.code, "...")
    suffix = _WORDS.get(kind.code, "")
    if kind.code == gdb.TYPE_CODE_ARRAY:
        low, high = kind.range()
        suffix = f"[{max(0, high - low + 1)}]"
    return f"{_text(kind.target(), fortran, depth + 1)} {suffix}"


def _is_written(kind: gdb.Type, fortran: bool, budget: list[int], depth: int) -> bool:
    # Return whether gdb can write the type. gdb 13 crashes on a struct without a name in Fortran,
    # and every gdb crashes on a damaged type that refers to itself.
    budget[0] -= 1
    if depth == _DEEPEST or budget[0] < 0:
        return False
    if kind.code in _DERIVED and not (fortran and _name(lambda: kind.name)):
        inner = [kind.target()]
        if kind.code == gdb.TYPE_CODE_FUNC:
            inner += [one.type for one in fields(kind)]
        return all(one is None or _is_written(one, fortran, budget, depth + 1) for one in inner)
    return not fortran or kind.code in _PLAIN or bool(_name(lambda: kind.name))


def _name(read: Callable[[], str | None]) -> str:
    return plain(console.decoded(read), "")
