# SPDX-License-Identifier: MIT
"""Which addresses does a process have, and which may it write to?"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import gdb

from mpipp.checks.process import Gap

_MAPPING = re.compile(
    r"^\s*(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+0x[0-9a-f]+(?:\s+([r-][w-]\S+))?", re.M
)
_CORE = re.compile(r"[Cc]ore dump file:\s+`([^\n]*)',")
_END = 1 << 64
_SEGMENT = 1  # PT_LOAD
_WRITABLE = 2  # PF_W


class _Mapping(NamedTuple):
    start: int
    end: int
    writable: bool


def gaps() -> list[Gap] | None:
    """What the selected inferior does not have or cannot write to; None if that is not known."""
    mappings = _known()
    return list(_between(mappings)) if mappings else None


def _known() -> list[_Mapping]:
    try:
        text = gdb.execute("info proc mappings", to_string=True)
    except gdb.error:
        text = ""
    listed = [
        # Without permissions (old gdb, cores), and where nothing is permitted: such addresses may
        # be those of a device's memory, which MPI can write to.
        _Mapping(int(start, 16), int(end, 16), not rights or rights[:2] != "r-")
        for start, end, rights in _MAPPING.findall(text)
    ]
    core = _CORE.search(gdb.execute("info files", to_string=True))
    if core is None:
        return listed
    # A core lists files that were mapped, and has segments for what was not left out.
    segments = list(_segments(core.group(1)))
    return segments + listed if segments else []


def _segments(core: str) -> Iterator[_Mapping]:
    try:
        with open(core, "rb") as file:
            header = file.read(64)
            if header[:5] != b"\x7fELF\x02":
                return
            order = "<" if header[5] == 1 else ">"
            (at,) = struct.unpack_from(order + "Q", header, 32)
            size, number = struct.unpack_from(order + "HH", header, 54)
            file.seek(at)
            table = file.read(size * number)
    except OSError:
        return
    for offset in range(0, len(table) - 55, size):
        kind, flags, _, start, _, _, length = struct.unpack_from(order + "IIQQQQQ", table, offset)
        if kind == _SEGMENT:
            yield _Mapping(start, start + length, bool(flags & _WRITABLE))


def _between(mappings: Iterable[_Mapping]) -> Iterator[Gap]:
    end = 0
    for mapping in sorted(mappings):
        if mapping.start > end:
            yield Gap(end, mapping.start, False)
        if not mapping.writable and mapping.end > end:
            yield Gap(max(end, mapping.start), mapping.end, True)
        end = max(end, mapping.end)
    if end < _END:
        yield Gap(end, _END, False)
