# SPDX-License-Identifier: MIT
"""The addresses of arrays and scalars of the program."""

from __future__ import annotations

import gdb

from mpipp.gdb.program import symbol_names

_IS_OLD = gdb.VERSION.startswith("10.")


def address(value: gdb.Value) -> int | None:
    """The address of a scalar or of an array's first element; None if it is not in memory.

    This does not ask gdb for the address of the array itself. If the array is no variable, gdb
    would copy it to the program's memory.
    """
    kind = value.type.strip_typedefs()
    while kind.code == gdb.TYPE_CODE_ARRAY and not is_open(kind):
        value = value[kind.range()[0]]
        kind = value.type.strip_typedefs()
    return None if value.address is None else int(value.address)


def is_open(kind: gdb.Type) -> bool:
    """Return whether a type is an assumed-size array. gdb 10 crashes when a script reads the bounds
    of such an array."""
    return _IS_OLD and symbol_names.text(kind).endswith("*)")
