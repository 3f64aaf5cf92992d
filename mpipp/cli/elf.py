# SPDX-License-Identifier: MIT
"""What does an ELF file need: its program interpreter, libraries and undefined symbols?

Only what linking is about is read; both classes and both byte orders are.
"""

from __future__ import annotations

import struct
from typing import Callable, TypeVar

from mpipp.errors import MpippError

_PT_DYNAMIC = 2
_PT_INTERP = 3
_SHT_DYNSYM = 11
_DT_NEEDED = 1

_Answer = TypeVar("_Answer")


def is_elf(path: str) -> bool:
    """Whether the file can be read and starts as an ELF file does."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def interpreter(path: str) -> str:
    """The dynamic loader the program at `path` asks for; "" if it is statically linked.

    Raises:
        MpippError: the file cannot be read, or is not a whole ELF file.
    """
    return _read(path, _Reader.interpreter)


def needed(path: str) -> list[str]:
    """The sonames of the libraries the file at `path` is linked with; errors as `interpreter`."""
    return _read(path, _Reader.needed)


def undefined(path: str) -> list[str]:
    """The names of the dynamic symbols the file takes from others; errors as `interpreter`."""
    return _read(path, _Reader.undefined)


def _read(path: str, question: Callable[[_Reader], _Answer]) -> _Answer:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise MpippError(f"cannot read {path}: {error.strerror}") from None
    if data[:4] != b"\x7fELF":
        raise MpippError(f"{path} is not an ELF file")
    try:
        return question(_Reader(data))
    except (struct.error, IndexError, ValueError):
        raise MpippError(f"{path} is a damaged ELF file") from None


class _Reader:
    # The tables of one file. Offsets are those of the ELF specification for the file's class.

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.wide = data[4] == 2
        self.order = "<" if data[5] == 1 else ">"
        self.word = "Q" if self.wide else "I"

    def interpreter(self) -> str:
        for kind, offset, size in self._segments():
            if kind == _PT_INTERP:
                return self.data[offset : offset + size].split(b"\0")[0].decode()
        return ""

    def needed(self) -> list[str]:
        for kind, offset, size in self._segments():
            if kind == _PT_DYNAMIC:
                return self._needed(offset, size)
        return []

    def undefined(self) -> list[str]:
        names = []
        sections = self._sections()
        for kind, offset, size, link in sections:
            if kind != _SHT_DYNSYM:
                continue
            step, layout, section = (24, "IBBH", 3) if self.wide else (16, "IIIBBH", 5)
            for entry in range(offset + step, offset + size, step):
                fields = self._unpack(layout, entry)
                if fields[section] == 0:
                    names.append(self._text(sections[link][1] + fields[0]))
        return names

    def _unpack(self, layout: str, offset: int) -> tuple[int, ...]:
        return struct.unpack_from(self.order + layout, self.data, offset)

    def _text(self, offset: int) -> str:
        return self.data[offset : self.data.index(b"\0", offset)].decode()

    def _segments(self) -> list[tuple[int, int, int]]:
        # (type, file offset, size in the file) of every program header.
        start, size, count = self._header(28, 32, 42, 54)
        layout = "IIQQQQ" if self.wide else "IIIII"
        segments = []
        for number in range(count):
            fields = self._unpack(layout, start + number * size)
            offset = fields[2] if self.wide else fields[1]
            segments.append((fields[0], offset, fields[5] if self.wide else fields[4]))
        return segments

    def _sections(self) -> list[tuple[int, int, int, int]]:
        # (type, file offset, size, link) of every section header.
        start, size, count = self._header(32, 40, 46, 58)
        layout = f"II{self.word * 4}I"
        sections = []
        for number in range(count):
            fields = self._unpack(layout, start + number * size)
            sections.append((fields[1], fields[4], fields[5], fields[6]))
        return sections

    def _header(self, narrow: int, wide: int, narrow_size: int, wide_size: int) -> tuple[int, ...]:
        # (file offset, entry size, entry count) of the program or section header table.
        (start,) = self._unpack(self.word, wide if self.wide else narrow)
        size, count = self._unpack("HH", wide_size if self.wide else narrow_size)
        return start, size, count

    def _needed(self, offset: int, size: int) -> list[str]:
        step = 16 if self.wide else 8
        strings = self._string_table()
        names = []
        for entry in range(offset, offset + size, step):
            tag, value = self._unpack(self.word * 2, entry)
            if tag == 0:
                break
            if tag == _DT_NEEDED:
                names.append(self._text(strings + value))
        return names

    def _string_table(self) -> int:
        # File offset of the dynamic string table: the one the dynamic symbols are linked to.
        sections = self._sections()
        links = [link for kind, _, _, link in sections if kind == _SHT_DYNSYM]
        return sections[links[0]][1]
