# SPDX-License-Identifier: MIT
"""Which program is a core file of? Its notes say so (Linux: NT_AUXV, NT_FILE, NT_PRPSINFO)."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from mpipp.errors import MpippError

_ET_CORE = 4
_PT_NOTE = 4
_NT_PRPSINFO, _NT_AUXV, _NT_FILE = 3, 6, 0x46494C45
_AT_ENTRY = 9
_MOST_NOTES = 1 << 28  # bytes
_MOST_SEGMENTS = 1 << 16


class _Note(NamedTuple):
    type: int
    data: bytes


def program_of(path: str) -> str:
    """The file of the program whose core this is, "" if the core does not say.

    Raises:
        MpippError: there is no such file, or it is not a core file of a 64-bit process.
    """
    try:
        with open(path, "rb") as file:
            order, notes = _notes(file, path)
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    by_type = {note.type: note.data for note in notes}
    entry = _entry(by_type.get(_NT_AUXV, b""), order)
    mapped = _file_at(entry, by_type.get(_NT_FILE, b""), order) if entry else ""
    return mapped or _first_word(by_type.get(_NT_PRPSINFO, b""))


def _notes(file: BinaryIO, path: str) -> tuple[str, list[_Note]]:
    header = file.read(64)
    order = {1: "<", 2: ">"}.get(header[5] if len(header) == 64 else 0, "")
    if header[:5] != b"\x7fELF\x02" or not order or header[16:18] != _half(order, _ET_CORE):
        raise MpippError(f"{path} is not a core file of a 64-bit process")
    (at,) = struct.unpack_from(order + "Q", header, 32)
    size, number = struct.unpack_from(order + "HH", header, 54)
    if number == 0xFFFF:  # more than fit: the first section's header has their number
        file.seek(struct.unpack_from(order + "Q", header, 40)[0] + 44)
        (number,) = struct.unpack(order + "I", file.read(4).ljust(4, b"\0"))
    file.seek(at)
    table = file.read(size * min(number, _MOST_SEGMENTS))
    for start in range(0, len(table) - 55, max(size, 56)):
        kind, _, offset, _, _, length = struct.unpack_from(order + "IIQQQQ", table, start)
        if kind == _PT_NOTE and length <= _MOST_NOTES:
            file.seek(offset)
            return order, list(_split(file.read(length), order))
    return order, []


def _half(order: str, value: int) -> bytes:
    return struct.pack(order + "H", value)


def _split(data: bytes, order: str) -> Iterator[_Note]:
    position = 0
    while position + 12 <= len(data):
        name, length, kind = struct.unpack_from(order + "III", data, position)
        start = position + 12 + _padded(name)
        yield _Note(kind, data[start : start + length])
        position = start + _padded(length)


def _padded(length: int) -> int:
    return (length + 3) // 4 * 4


def _entry(vector: bytes, order: str) -> int:
    # The address where the program starts.
    for start in range(0, len(vector) - 15, 16):
        kind, value = struct.unpack_from(order + "QQ", vector, start)
        if kind == _AT_ENTRY:
            return int(value)
    return 0


def _file_at(address: int, listed: bytes, order: str) -> str:
    # The list: how many, the page size; start, end and offset of each; their names.
    if len(listed) < 16:
        return ""
    (count,) = struct.unpack_from(order + "Q", listed)
    names = listed[16 + 24 * count :].split(b"\0")
    for i, name in enumerate(names[:count]):
        if 16 + 24 * (i + 1) > len(listed):
            break
        start, end, _ = struct.unpack_from(order + "QQQ", listed, 16 + 24 * i)
        if start <= address < end:
            return os.fsdecode(name)
    return ""


def _first_word(information: bytes) -> str:
    # The command line, cut after 80 bytes, stands at the end.
    words = information[-80:].split(b"\0")[0].split()
    return os.fsdecode(words[0]) if words else ""
