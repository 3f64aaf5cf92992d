# SPDX-License-Identifier: MIT
"""The addresses that a process has mapped, and whether it may write to them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import gdb

from mpipp.analysis.context.process import Gap
from mpipp.gdb import console
from mpipp.gdb.program.inferior_memory import core_file
from mpipp.registry.memory.core_files import Segment

_MAPPING = re.compile(
    r"^\s*(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+0x[0-9a-f]+(?:\s+([r-][w-]\S+))?", re.M
)
# The last column. A column with permissions may precede it.
_FILE = re.compile(
    r"^\s*(0x[0-9a-f]+)\s+(0x[0-9a-f]+)\s+0x[0-9a-f]+\s+0x[0-9a-f]+\s+(?:[r-]\S{3,}\s+)?(/.*?)\s*$",
    re.M,
)
_END = 1 << 64


class _Mapping(NamedTuple):
    start: int
    end: int
    writable: bool


def gaps() -> list[Gap] | None:
    """Memory that the selected inferior does not map or cannot write; None if unknown."""
    mappings = _read_mappings()
    return list(_between(mappings)) if mappings else None


def listing() -> str:
    """The mappings of the selected inferior in gdb's words; for a core, the mapped files."""
    try:
        return console.output("info proc mappings")
    except gdb.error:
        return ""


def file_at(address: int) -> tuple[str, int] | None:
    """The path of the file that is mapped at an address, and the address of its first byte, or
    None."""
    files = _files(listing())
    name = next((name for start, end, name in files if start <= address < end), None)
    if name is None:
        return None
    return name, min(start for start, _, other in files if other == name)


@functools.lru_cache(maxsize=4)
def _files(listed: str) -> list[tuple[int, int, str]]:
    return [
        (int(start, 16), int(end, 16), name.removesuffix(" (deleted)"))
        for start, end, name in _FILE.findall(listed)
    ]


def writable_at(address: int) -> list[tuple[int, int]]:
    """The writable memory around an address, as [start, end) for each possible start.

    The heap may consist of several consecutive mappings, and may directly follow the variables of
    the program. So its start is uncertain.
    """
    starts: list[int] = []
    end = 0
    for one in sorted(_read_mappings()):
        if not one.writable:
            continue
        if one.start != end:
            starts.clear()
        starts.append(one.start)
        end = one.end
        if one.start <= address < end:
            return [(start, end) for start in starts]
    return []


def _read_mappings() -> list[_Mapping]:
    listed = [
        # Old gdb and core files show no permissions: take the memory as writable. If nothing is
        # permitted, it may be memory of a device, which MPI can write to.
        _Mapping(int(start, 16), int(end, 16), not rights or rights[:2] != "r-")
        for start, end, rights in _MAPPING.findall(listing())
    ]
    core = core_file()
    if core is None:
        return listed
    # A core file lists the mapped files. The file's segments are the memory that was saved.
    of_files = {mapping.start for mapping in listed}
    segments = [_segment(each, each.start in of_files) for each in core.segments]
    return segments + listed if segments else []


def _segment(segment: Segment, of_file: bool) -> _Mapping:
    # gdb's gcore marks memory as readable even if nothing is permitted.
    only_read = segment.readable and not segment.writable and of_file
    return _Mapping(segment.start, segment.end, not only_read)


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
