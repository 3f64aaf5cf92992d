# SPDX-License-Identifier: MIT
"""Values of gdb that stand for a part of a datatype or a buffer.

A printer can pass only values to gdb, but the parts of a datatype or a buffer are not values of the
program. A token is a value that names such a part; the printers' look-up recognises it. A token's
key describes the part completely: the object, and the path down to the part. So a token that a
front end keeps across stops shows the current state of that part.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import gdb

from mpipp.gdb.program.arrays import is_open

_MAGIC = 0x6D706970702D3031  # a number that programs hardly contain by chance
_MOST = 1 << 20


class Key(NamedTuple):
    """The part that a token stands for: the one at `path` in the object that `root` finds."""

    root: Any  # hashable; its `find` returns the object
    path: tuple[int | range, ...] = ()
    in_tree: bool = False  # whether a front end shows it in a tree, not as text


_keys: list[Key] = []
_numbers: dict[Key, int] = {}


def value(key: Key) -> gdb.Value:
    """The token for `key`."""
    number = _numbers.get(key)
    if number is None:
        if len(_keys) >= _MOST:  # drops old tokens, which are then shown as plain numbers
            _keys.clear()
            _numbers.clear()
        number = _numbers[key] = len(_keys)
        _keys.append(key)
    return gdb.Value(struct.pack("=QQ", _MAGIC, number), _type())


def key(token: gdb.Value) -> Key | None:
    """The key of a token; None for other values."""
    # If an array is not in memory yet, gdb would copy it there to get its address.
    kind = token.type
    if kind.code != gdb.TYPE_CODE_ARRAY or kind.sizeof != 16 or kind.target().sizeof != 8:
        return None
    if kind.target().code != gdb.TYPE_CODE_INT or is_open(kind):
        return None
    first = kind.range()[0]
    if int(token[first]) != _MAGIC:
        return None
    number = int(token[first + 1])
    return _keys[number] if number < len(_keys) else None


def _type() -> gdb.Type:
    # Python's 2**63 becomes an unsigned integer of 8 bytes, in every language.
    return gdb.Value(1 << 63).type.array(1)
