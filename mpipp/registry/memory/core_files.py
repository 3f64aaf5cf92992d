# SPDX-License-Identifier: MIT
"""Core files: the memory segments that they contain, and search for bytes in them.

This module provides only facts that a debugger does not. The file may be truncated or damaged.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

# PN_XNUM: the number of program headers is larger, and stored in the first section header.
_MANY = 0xFFFF
_MOST_HEADERS = 1 << 20
_HEADER = 56  # bytes of a program header
_LOAD = 1  # PT_LOAD
_WRITABLE, _READABLE = 2, 4  # PF_W, PF_R
_MOST_BYTES = 1 << 57  # more than any address of a process, or size of a file
_STEP = 1 << 24  # bytes that are searched at a time


class Segment(NamedTuple):
    """A memory segment of the process.

    Attributes:
        start, end: its addresses.
        readable, writable: whether the process had these permissions.
        offset: position of its bytes in the file.
        present: the number of its bytes in the file; 0 for memory that was left out.
    """

    start: int
    end: int
    readable: bool
    writable: bool
    offset: int
    present: int


class CoreFile(NamedTuple):
    """A core file of a 64-bit process.

    Attributes:
        path: the file's path.
        size: the file's size in bytes.
        whole: the size in bytes that the file would have without truncation.
        damaged: the number of impossible program headers.
        segments: the memory segments, in the file's order.
    """

    path: str
    size: int
    whole: int
    damaged: int
    segments: tuple[Segment, ...]

    def has(self, address: int) -> bool:
        """Return whether the byte at an address is in the file."""
        return any(0 <= address - each.start < each.present for each in self.segments)


def read(path: str) -> CoreFile | None:
    """Return the segments of a core file; None if the file is no core file, or is unreadable."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            headers = list(_headers(file))
    except OSError:
        return None
    sound = [header for header in headers if _is_sound(*header)]
    whole = max((offset + length for _, _, offset, _, _, length, _ in sound), default=size)
    damaged = len(headers) - len(sound)
    segments = [
        Segment(
            start,
            start + memory,
            bool(flags & _READABLE),
            bool(flags & _WRITABLE),
            offset,
            _present(offset, length, size),
        )
        for kind, flags, offset, start, _, length, memory in headers
        if kind == _LOAD
    ]
    return CoreFile(path, size, max(whole, size), damaged, tuple(segments)) if headers else None


def search(core: CoreFile, pattern: bytes) -> Iterator[int]:
    """Yield every address of `pattern` in writable memory that the file contains."""
    try:
        with open(core.path, "rb") as file:
            for offset in _occurrences(file, pattern):
                for segment in core.segments:
                    if segment.writable and 0 <= offset - segment.offset < segment.present:
                        yield segment.start + offset - segment.offset
    except OSError:
        return


def _headers(file: BinaryIO) -> Iterator[tuple[int, ...]]:
    # Yields type, flags, offset, address, physical address, bytes in the file, bytes in memory.
    header = file.read(64)
    if len(header) < 64 or header[:5] != b"\x7fELF\x02":
        return
    order = "<" if header[5] == 1 else ">"
    at, sections = struct.unpack_from(order + "QQ", header, 32)
    size, number = struct.unpack_from(order + "HH", header, 54)
    if size < _HEADER:
        return
    if number == _MANY:
        (number,) = struct.unpack(order + "I", _bytes(file, sections + 44, 4).ljust(4, b"\0"))
        number = number or _MANY
    # Read one header at a time: with a damaged number, the table could exceed the memory.
    for start in range(at, at + size * min(number, _MOST_HEADERS), size):
        header = _bytes(file, start, _HEADER)
        if len(header) < _HEADER:
            return
        yield struct.unpack_from(order + "IIQQQQQ", header)


def _is_sound(
    kind: int, _flags: int, offset: int, start: int, _physical: int, length: int, memory: int
) -> bool:
    # A segment beyond the file's end is sound: the file is truncated.
    if offset > _MOST_BYTES or length > _MOST_BYTES:
        return False
    return kind != _LOAD or (length <= memory <= _MOST_BYTES and start + memory <= 1 << 64)


def _bytes(file: BinaryIO, offset: int, length: int) -> bytes:
    # At the end of the file, returns fewer bytes.
    if offset >= 1 << 63:
        return b""
    file.seek(offset)
    return file.read(length)


def _present(offset: int, length: int, size: int) -> int:
    return max(0, min(length, size - offset))


def _occurrences(file: BinaryIO, pattern: bytes) -> Iterator[int]:
    # One search of the whole file serves all segments. Damaged segments may overlap in the file.
    start, before = 0, b""
    while step := file.read(_STEP):
        data = before + step
        found = data.find(pattern)
        while found >= 0:
            yield start + found
            found = data.find(pattern, found + 1)
        before = data[1 - len(pattern) :]
        start += len(data) - len(before)
