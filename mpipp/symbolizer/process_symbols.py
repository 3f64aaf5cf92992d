# SPDX-License-Identifier: MIT
"""Functions and lines for code addresses of a process, without gdb.

In gdb, mpipp/gdb/program/call_sites.py looks them up.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from mpipp.common.text.sanitize import plain
from mpipp.model import Site
from mpipp.symbolizer import skipped_accesses
from mpipp.symbolizer.frame_table import Rule
from mpipp.symbolizer.line_table import LineTable, Place, Symbol
from mpipp.symbolizer.source_frames import Frame

PYTHON = "_PyRuntime"  # every CPython exports this symbol
_KNOWN: dict[tuple[str, int, int], LineTable] = {}  # keys: path, inode and time


# CPython calls the functions registered with Py_AtExit from these.
_AT_EXIT = {"call_ll_exitfuncs", "Py_FinalizeEx", "_Py_Finalize", "Py_Finalize"}
_PYTHON_END = Frame("the end of the Python program")


class _Mapping(NamedTuple):
    start: int
    end: int
    offset: int
    path: str


class StackFrame(NamedTuple):
    """A stack frame: the address where its function continues, and the frame's end.

    Attributes:
        registers: the values of those that called functions keep, by DWARF's numbers.
    """

    code: int
    end: int
    registers: Mapping[int, int] = MappingProxyType({})


class Places:
    """The symbols of one process. The process's files must be read while it exists.

    Args:
        code: lines of /proc/PID/maps as they were, for a process that has already ended.
    """

    def __init__(self, pid: int, code: str) -> None:
        self._pid = pid
        self._mappings = _mappings(code.splitlines())
        self._calls: dict[int, list[Frame]] = {}
        self._program = _program(pid, self._mappings)
        self.refresh()

    def refresh(self) -> None:
        """Read which files the process has loaded; no effect if it has ended."""
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
        """Return the source lines of a call site, innermost first; [] if they are unknown."""
        return [frame.text for frame in self.frames(where)]

    def frames(self, where: Site) -> list[Frame]:
        """Return the frames of a call site."""
        if where.python is not None:
            path, line, function = where.python
            return [_plain(Frame(where.python.text, path, line, function))]
        if where.address and self._is_end_of_python(where.address):
            return [_PYTHON_END]
        addresses = [address for address in (where.address, *where.frames) if address]
        calls = [frame for one in dict.fromkeys(addresses) for frame in self.calls(one)]
        with_line = [i for i, frame in enumerate(calls) if frame.line]
        return calls[with_line[0] :] if with_line else calls

    def _is_end_of_python(self, return_address: int) -> bool:
        # Python itself calls MPI only when it ends, to run mpi4py's call of MPI_Finalize.
        found = self._find(return_address - 1)
        if found is None or found[0].places(found[1])[0].function not in _AT_EXIT:
            return False
        return found[0].exported(PYTHON) is not None

    def calls(self, return_address: int) -> list[Frame]:
        """Return the frame of the call that returns to an address, and frames inlined around it.

        At least one frame is returned.
        """
        known = self._calls.get(return_address)
        if known is None:
            known = [_plain(frame) for frame in self._read_calls(return_address)]
            self._calls[return_address] = known
        return known

    def _read_calls(self, return_address: int) -> list[Frame]:
        # Look one byte before: the return address may belong to the next line.
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
        """Return a function by its address as `<name>`; the bare address if it has no name."""
        found = self._find(address)
        name = found[0].function(found[1]) if found else ""
        return f"<{plain(name, '')}>" if name else f"{address:#x}"

    def python_symbol(self, name: str) -> int | None:
        """Return the address of a symbol of the Python interpreter; None if there is none."""
        return self.symbol(name, "libpython", in_program=True)

    def symbol(self, name: str, library: str, in_program: bool = False) -> int | None:
        """Return the address of a symbol of a library; None if there is none.

        Args:
            name: the symbol.
            library: beginning of the library's name, because reading all libraries would take long.
            in_program: whether the program itself may have the symbol.
        """
        for mapping in self._mappings:
            is_wanted = os.path.basename(mapping.path).startswith(library)
            if not is_wanted and not (in_program and mapping.path == self._program):
                continue
            lines = _lines(mapping.path)
            value, code = lines.exported(name), lines.address(mapping.offset)
            if value is not None and code is not None:
                return mapping.start + value - code
        return None

    def caller(self, address: int) -> Rule | None:
        """Return the rule to find the caller of the function at an address; None if unknown."""
        found = self._find(address)
        return found[0].caller(found[1]) if found else None

    def is_main(self, address: int) -> bool:
        """Return whether an address is in the main function of the program.

        In Fortran this is the main program, which `main` calls.
        """
        found = self._find(address)
        return found is not None and found[0].function_symbol(found[1]) in ("main", "MAIN__")

    def file(self, address: int) -> str:
        """Return the path of the file at an address; "" if it is unknown."""
        found = (one.path for one in self._mappings if one.start <= address < one.end)
        return next(found, "")

    def skipped_accesses(self) -> dict[str, Counter[str]]:
        """Return the numbers of uninstrumented loads and stores, by loaded file and source."""
        paths = {self._program, *(one.path for one in self._mappings)} - {""}
        return {path: found for path in sorted(paths) if (found := skipped_accesses.of_file(path))}

    def variable(self, address: int, frame: StackFrame | None = None) -> str:
        """Return the variable at an address with the byte offset: "faces+3968"; "" if none.

        Static variables are found by the symbols of the loaded files, variables in the stack frame
        `frame` by debug information.
        """
        if frame is not None:
            found = self._find(frame.code - 1)
            return plain(found[0].local(found[1], address - frame.end), "") if found else ""
        static = self.static_variable(address)
        if static is None:
            return ""
        distance = address - static.low
        return plain(f"{static.name}+{distance}" if distance else static.name, "")

    def static_variable(self, address: int) -> Symbol | None:
        """Return the static variable at an address, by the symbols of the loaded files."""
        found = self._file_of_data(address)
        one = found[0].static_variable(address - found[1]) if found is not None else None
        return one if one is None or found is None else _moved(one, found[1])

    def widest_variable(self, address: int) -> Symbol | None:
        """Return the largest of the static variables at an address."""
        found = self._file_of_data(address)
        one = found[0].widest_variable(address - found[1]) if found is not None else None
        return one if one is None or found is None else _moved(one, found[1])

    def _file_of_data(self, address: int) -> tuple[LineTable, int] | None:
        # The file with the data, and the difference between process and file addresses. A file's
        # data are behind its code and in front of the next file's. The code's mapping is enough to
        # find them, so no further reading delays the process.
        below = [mapping for mapping in self._mappings if mapping.start <= address]
        if not below:
            return None
        mapping = max(below, key=lambda one: one.start)
        lines = _lines(mapping.path)
        code = lines.address(mapping.offset)
        return None if code is None else (lines, mapping.start - code)

    def scope(self, pc: int) -> tuple[Any, Any, int, int, int] | None:
        """Return the function at an address.

        The result has the function's debug entry, the file's debug information, and the address in
        the file. Then follow the difference between process and file addresses, and the line number
        (0: unknown).
        """
        found = self._find(pc)
        if found is None:
            return None
        lines, address, _ = found
        function = lines.function_entry(address)
        if function is None:
            return None
        line = lines.line(address)
        return (*function, address, pc - address, line.line if line is not None else 0)

    def has_pushed(self, pc: int) -> bool:
        """Return whether the function may have pushed arguments at an address of its body."""
        found = self._find(pc)
        return found is None or found[0].has_pushed(found[1])

    def _find(self, pc: int) -> tuple[LineTable, int, _Mapping] | None:
        for mapping in self._mappings:
            if mapping.start <= pc < mapping.end:
                lines = _lines(mapping.path)
                address = lines.address(pc - mapping.start + mapping.offset)
                return None if address is None else (lines, address, mapping)
        return None


def _moved(symbol: Symbol, by: int) -> Symbol:
    return Symbol(symbol.low + by, symbol.high + by, symbol.name)


def _plain(frame: Frame) -> Frame:
    # The program's author chose these names, so control characters are escaped.
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
    # The executed file. If the process has ended or the file is valgrind: the file that is mapped
    # first.
    try:
        path = os.readlink(f"/proc/{pid}/exe")
    except OSError:
        path = ""
    if path and os.path.basename(os.path.dirname(path)) != "valgrind":
        return path
    return mappings[0].path if mappings else ""


def _lines(path: str) -> LineTable:
    try:
        now = os.stat(path)
        key = path, now.st_ino, now.st_mtime_ns
    except OSError:
        key = path, 0, 0
    if key not in _KNOWN:
        _KNOWN[key] = LineTable(path)
    return _KNOWN[key]
