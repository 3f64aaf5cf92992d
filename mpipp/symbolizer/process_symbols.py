# SPDX-License-Identifier: MIT
"""Addresses of code as functions and lines, as mpipp/gdb/program/call_sites.py has them in gdb."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mpipp.common.text.sanitize import plain
from mpipp.model import Site
from mpipp.symbolizer.line_table import Lines, Place
from mpipp.symbolizer.source_frames import Frame

_KNOWN: dict[tuple[str, int, int], Lines] = {}  # by path, inode and time


class _Mapping(NamedTuple):
    start: int
    end: int
    offset: int
    path: str


class StackFrame(NamedTuple):
    """A function's, where it goes on (address of code), and the frame's end (of the stack)."""

    code: int
    end: int


class Places:
    """Of one process: what it has loaded is read while it is there, and kept.

    Args:
        code: lines of /proc/PID/maps as they were, for a process that has ended already.
    """

    def __init__(self, pid: int, code: str) -> None:
        self._pid = pid
        self._mappings = _mappings(code.splitlines())
        self._calls: dict[int, list[Frame]] = {}
        self._program = _program(pid, self._mappings)
        self.refresh()

    def refresh(self) -> None:
        """Look at what the process has loaded; nothing changes if it has ended."""
        try:
            with open(
                f"/proc/{self._pid}/maps", encoding="utf-8", errors="surrogateescape"
            ) as maps:
                mappings = _mappings(maps)
        except OSError:
            return
        if mappings and mappings != self._mappings:
            self._mappings = mappings
            self._program = self._program or _program(self._pid, mappings)
            self._calls.clear()

    def site(self, where: Site) -> list[str]:
        """Where an object was made, innermost caller first; [] if that is not known."""
        return [frame.text for frame in self.frames(where)]

    def frames(self, where: Site) -> list[Frame]:
        """The same, with what is known of each."""
        if where.python is not None:
            path, line, function = where.python
            return [_plain(Frame(where.python.text, path, line, function))]
        addresses = [address for address in (where.address, *where.frames) if address]
        calls = [frame for one in dict.fromkeys(addresses) for frame in self.calls(one)]
        with_line = [i for i, frame in enumerate(calls) if frame.line]
        return calls[with_line[0] :] if with_line else calls

    def calls(self, return_address: int) -> list[Frame]:
        """The call that returns to an address, and those that were inlined around it; one at
        least."""
        known = self._calls.get(return_address)
        if known is None:
            known = [_plain(frame) for frame in self._read_calls(return_address)]
            self._calls[return_address] = known
        return known

    def _read_calls(self, return_address: int) -> list[Frame]:
        # The instruction after the call may belong to the next line.
        found = self._find(return_address - 1)
        if found is None:
            return [Frame(f"{return_address:#x}")]
        lines, address, mapping = found
        name = os.path.basename(mapping.path)
        library = name if mapping.path != self._program else ""
        places = lines.places(address)
        if places[0].line is not None:
            return [_frame(place, library) for place in places if place.line is not None]
        symbol = lines.symbol(address)
        text = f"{symbol}{_of(library)}" if symbol else f"{name}+{address + 1:#x}"
        return [Frame(text, "", 0, places[-1].function, library)]

    def function(self, address: int) -> str:
        """A function by its address, `<name>`; the bare address if it has no name."""
        found = self._find(address)
        name = found[0].function(found[1]) if found else ""
        return f"<{plain(name, '')}>" if name else f"{address:#x}"

    def file(self, address: int) -> str:
        """The path of the file that an address is in, "" if it is not known."""
        found = (one.path for one in self._mappings if one.start <= address < one.end)
        return next(found, "")

    def variable(self, address: int, frame: StackFrame | None = None) -> str:
        """The variable at an address, with the distance from its beginning: "faces+3968".

        Of static memory, by the symbols of what is loaded; of a stack frame that has the address,
        if it is given, by debug information; "" where there is none.
        """
        if frame is not None:
            found = self._find(frame.code - 1)
            return plain(found[0].local(found[1], address - frame.end), "") if found else ""
        # A file's data lie behind its code, and before the next one's. Reading takes time, and
        # a process may wait meanwhile.
        below = [mapping for mapping in self._mappings if mapping.start <= address]
        if not below:
            return ""
        mapping = max(below, key=lambda one: one.start)
        lines = _lines(mapping.path)
        code = lines.address(mapping.offset)
        return plain(lines.variable(address - mapping.start + code), "") if code is not None else ""

    def _find(self, pc: int) -> tuple[Lines, int, _Mapping] | None:
        for mapping in self._mappings:
            if mapping.start <= pc < mapping.end:
                lines = _lines(mapping.path)
                address = lines.address(pc - mapping.start + mapping.offset)
                return None if address is None else (lines, address, mapping)
        return None


def _plain(frame: Frame) -> Frame:
    # Names of the program's, which must not begin lines.
    names = (frame.text, frame.function, frame.library)
    text, function, library = (plain(name, "") for name in names)
    return frame._replace(text=text, function=function, library=library)


def _of(library: str) -> str:
    return f", in {library}" if library else ""


def _frame(place: Place, library: str) -> Frame:
    line = place.line
    assert line is not None
    text = f"{line.file}:{line.line}"
    text += f" in {place.function}" if place.function else ""
    text += " (inlined)" if place.is_inlined else ""
    return Frame(text + _of(library), line.path, line.line, place.function, library)


def _mappings(lines: Iterable[str]) -> list[_Mapping]:
    return [one for one in map(_mapping, lines) if one is not None]


def _mapping(line: str) -> _Mapping | None:
    words = line.rstrip("\n").split(None, 5)
    if len(words) < 6 or "x" not in words[1] or not words[5].startswith("/"):
        return None
    try:
        start, end = (int(word, 16) for word in words[0].split("-"))
        return _Mapping(start, end, int(words[2], 16), words[5])
    except ValueError:
        return None


def _program(pid: int, mappings: Sequence[_Mapping]) -> str:
    # The file that was executed; what is mapped first, if the process has ended already, or if that
    # is valgrind.
    try:
        path = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        path = ""
    if path and os.path.basename(os.path.dirname(path)) != "valgrind":
        return path
    return mappings[0].path if mappings else ""


def _lines(path: str) -> Lines:
    try:
        now = os.stat(path)
        key = path, now.st_ino, now.st_mtime_ns
    except OSError:
        key = path, 0, 0
    if key not in _KNOWN:
        _KNOWN[key] = Lines(path)
    return _KNOWN[key]
