# SPDX-License-Identifier: MIT
"""Lines of Python that have called MPI (wrapper/intercept/python_frames.c).

The wrapper copies the parts of the interpreter's memory from which a line can be found later.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.model import PythonLine
from mpipp.registry.layout.field_table import Layout, Table
from mpipp.registry.memory import cpython_frames
from mpipp.registry.memory.address_space import Memory

_MOST = 1 << 14  # places
_MOST_BYTES = 1 << 16  # bytes of the copied pieces for one place


class RawPythonPlace(NamedTuple):
    frame: int
    version: int
    pieces: int
    bytes: int


class PythonPlaces:
    """Lines of Python that replace return addresses of C. Each is decoded only once."""

    def __init__(self, memory: Memory, layout: Layout) -> None:
        self._memory = memory
        self._layout = layout
        self._pieces = struct.Struct(layout.byte_order + "QQ")
        self._lines: dict[int, PythonLine] = {}

    def line(self, table: Table | None, address: int) -> PythonLine | None:
        """Return the line of a record's address; None if the table has no record there."""
        if table is None or not table.entries <= address:
            return None
        number, rest = divmod(address - table.entries, max(1, table.record_size))
        if rest or number >= min(table.count, _MOST):
            return None
        if address not in self._lines:
            decoder = self._layout.decoder(
                table.record, "python_place", RawPythonPlace, table.record_size
            )
            raw = decoder.decode(self._memory.read(address, decoder.size))
            self._lines[address] = self._line(raw)
        return self._lines[address]

    def _line(self, raw: RawPythonPlace) -> PythonLine:
        try:
            found = cpython_frames.of(self._copy(raw), raw.frame, raw.version)
        except UnreadableMemory:
            found = None
        if found is None:
            return PythonLine("a file that is not known", 0, "Python")
        return PythonLine(*found)

    def _copy(self, raw: RawPythonPlace) -> _Copy:
        if not 0 <= raw.bytes <= _MOST_BYTES:
            raise MpippError(f"a place in Python is recorded with {raw.bytes} bytes")
        data = self._memory.read(raw.pieces, raw.bytes)
        pieces, at = [], 0
        while at + self._pieces.size <= len(data):
            address, size = self._pieces.unpack_from(data, at)
            at += self._pieces.size
            pieces.append((address, data[at : at + size]))
            at += (size + 7) // 8 * 8
        return _Copy(pieces)


class _Copy:
    # The pieces of the interpreter's memory that the wrapper has copied.
    def __init__(self, pieces: list[tuple[int, bytes]]) -> None:
        self._pieces = pieces

    def read(self, address: int, length: int) -> bytes:
        for start, data in self._pieces:
            if start <= address and address + length <= start + len(data):
                return data[address - start : address - start + length]
        raise UnreadableMemory(address, length)
