# SPDX-License-Identifier: MIT
"""Where do the program's arrays begin?"""

from __future__ import annotations

import gdb

from mpipp.gdb.program import symbol_names

_IS_OLD = gdb.VERSION.startswith("10.")


def address(value: gdb.Value) -> int | None:
    """Where an array's first element lies, or a scalar; None if that is not in memory.

    Asking an array itself would copy one that is no variable to the program's memory.
    """
    kind = value.type.strip_typedefs()
    while kind.code == gdb.TYPE_CODE_ARRAY and not is_open(kind):
        value = value[kind.range()[0]]
        kind = value.type.strip_typedefs()
    return None if value.address is None else int(value.address)


def is_open(kind: gdb.Type) -> bool:
    """Return whether it is the type of an assumed-size array, whose bounds end gdb 10 when asked
    for.
    """
    return _IS_OLD and symbol_names.text(kind).endswith("*)")
