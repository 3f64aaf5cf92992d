# SPDX-License-Identifier: MIT
"""Source lines and functions of addresses in an ELF file, from debug information and symbols."""

from __future__ import annotations

import bisect
import itertools
import os
import re
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from mpipp.symbolizer import frame_table
from mpipp.symbolizer.demangle import source_name
from mpipp.symbolizer.frame_table import FrameTable, Rule
from mpipp.symbolizer.inlined_functions import Functions, ranges
from mpipp.symbolizer.stack_variables import variable

# Patterns of names that compilers give to variables of Fortran modules, and to local static ones.
_FORTRAN = re.compile(r"(?:__\w+?_MOD_)?(.+?)(?:\.\d+)?$")
_MOST = 1 << 24  # bytes; functions of larger compilation units are not read


class Line(NamedTuple):
    """A line of source code."""

    file: str  # without its directory
    line: int
    path: str  # as the compiler got it; absolute if its directory is known


class Place(NamedTuple):
    """A function that contains an address.

    Attributes:
        function: "" if it has no name.
        line: the line in this function: of the address, or of the inlined call. None: unknown.
        is_inlined: whether it is inlined into the next function in the list.
    """

    function: str
    line: Line | None
    is_inlined: bool


class Symbol(NamedTuple):
    """A function or static variable, at [low, high) in the file's addresses."""

    low: int
    high: int
    name: str


class _Unit(NamedTuple):
    # One compilation unit: start addresses of its lines, sorted, its files, and functions.
    starts: list[int]
    lines: list[Line | None]  # None: no line from this address on
    files: dict[int, str]  # paths by number
    functions: Functions | None
    bodies: list[int]  # where functions have made their stack frame

    def line(self, address: int) -> Line | None:
        position = bisect.bisect_right(self.starts, address) - 1
        return self.lines[position] if position >= 0 else None

    def called(self, file: int, line: int) -> Line | None:
        path = self.files.get(file)
        return _line(path, line) if path is not None and line else None


class LineTable:
    """The lines and symbols of one file. Addresses are the file's own.

    A file that is unreadable or damaged has no lines and no symbols.
    """

    def __init__(self, path: str) -> None:
        self._units: dict[int, _Unit] = {}
        self._symbols: list[Symbol] = []
        self._variables: list[Symbol] | None = None  # read on first use
        self._starts: list[int] = []
        self._elf: Any = None
        self._debug: Any = None
        self._frames: FrameTable | None = None  # read on first use
        self._aranges: Any = None  # from the file's table of units' address ranges
        self._segments: list[tuple[int, int, int]] = []  # segments: file offset, size, address
        self._spans: list[tuple[int, int, Any]] = []  # [low, high) of units that were read
        self._coming: Iterator[tuple[int, int, Any]] = iter(())  # [low, high) of the other units
        with suppress(*damage()):
            self._open(path)

    def _open(self, path: str) -> None:
        from elftools.elf.elffile import ELFFile

        # The file stays open as long as the watcher runs.
        self._elf = ELFFile(open(path, "rb"))  # noqa: SIM115
        for segment in self._elf.iter_segments():
            if segment["p_type"] == "PT_LOAD":
                part = segment["p_offset"], segment["p_filesz"], segment["p_vaddr"]
                self._segments.append(part)
        self._symbols = sorted(self._read_symbols())
        self._starts = [symbol.low for symbol in self._symbols]
        debug = self._elf
        if not debug.has_dwarf_info():
            other = _separate(debug)
            debug = ELFFile(open(other, "rb")) if other else None  # noqa: SIM115
        if debug is not None and debug.has_dwarf_info():
            self._debug = debug.get_dwarf_info()
            self._aranges = self._debug.get_aranges()
            self._coming = self._read_spans()

    def address(self, offset: int) -> int | None:
        """Return the address of the byte at a file offset; None if it is not loaded."""
        for start, size, address in self._segments:
            if start <= offset < start + size:
                return offset - start + address
        return None

    def line(self, address: int) -> Line | None:
        """Return the line of an address."""
        unit = self._unit(address)
        return unit.line(address) if unit else None

    def places(self, address: int) -> list[Place]:
        """Return the functions at an address, innermost inlined function first; at least one."""
        line, unit = self.line(address), self._unit(address)
        found: list[Place] = []
        with suppress(*damage()):
            for function in unit.functions.at(address) if unit and unit.functions else ():
                name = source_name(function.name)
                found.append(Place(name, line, function.call is not None))
                line = unit.called(*function.call) if unit and function.call else None
        return found or [Place(self._name(address), line, False)]

    def function(self, address: int) -> str:
        """Return the function with the code at an address; "" if it is unknown."""
        return self.places(address)[-1].function or self._name(address)

    def symbol(self, address: int) -> str:
        """Return the symbol before an address, as "main+18"; "" if there is none."""
        symbol = self._symbol(address)
        if symbol is None:
            return ""
        distance = address - symbol.low
        return f"{symbol.name}+{distance}" if distance else symbol.name

    def function_symbol(self, address: int) -> str:
        """Return the symbol whose code contains an address, as "main"; "" if there is none."""
        symbol = self._symbol(address)
        return symbol.name if symbol else ""

    def exported(self, name: str) -> int | None:
        """Return the address of an exported symbol; None if there is none with this name."""
        with suppress(*damage()):
            section = self._elf.get_section_by_name(".dynsym") if self._elf is not None else None
            for symbol in (section.get_symbol_by_name(name) if section else None) or ():
                if symbol["st_shndx"] != "SHN_UNDEF":
                    return int(symbol["st_value"])
        return None

    def caller(self, address: int) -> Rule | None:
        """Return the rule to find the caller of the function at an address; None if unknown."""
        with suppress(*damage()):
            if self._frames is None and self._elf is not None:
                self._frames = frame_table.of_elf(self._elf)
            return self._frames.rule(address) if self._frames else None
        return None

    def variable(self, address: int) -> str:
        """Return the static variable at an address, as "faces+3968"; "" if there is none."""
        found = self.static_variable(address)
        if found is None:
            return ""
        distance = address - found.low
        return f"{found.name}+{distance}" if distance else found.name

    def static_variable(self, address: int) -> Symbol | None:
        """Return the static variable at an address, with the name that the source has."""
        position = bisect.bisect_right(self._static(), (address, sys.maxsize)) - 1
        found = self._static()[position] if position >= 0 else None
        if found is None or address >= found.high:
            return None
        return found._replace(name=_FORTRAN.sub(r"\1", found.name))

    def widest_variable(self, address: int) -> Symbol | None:
        """Return the largest static variable at an address.

        Symbols may lie within others, as those of Fortran's modules do.
        """
        having = [one for one in self._static() if one.low <= address < one.high]
        found = max(having, key=lambda one: one.high, default=None)
        return None if found is None else found._replace(name=_FORTRAN.sub(r"\1", found.name))

    def _static(self) -> list[Symbol]:
        if self._variables is None:
            self._variables = []
            with suppress(*damage()):
                self._variables = sorted(self._read_symbols("STT_OBJECT"))
        return self._variables

    def function_entry(self, address: int) -> tuple[Any, Any] | None:
        """Return the debug entry of the function at an address, and all debug information."""
        unit = self._unit(address)
        with suppress(*damage()):
            entry = unit.functions.own(address) if unit and unit.functions else None
            return (entry, self._debug) if entry else None
        return None

    def has_pushed(self, address: int) -> bool:
        """Return whether a function may have pushed arguments at an address of its body.

        Clang's distances from the stack pointer do not count such arguments.
        """
        unit = self._unit(address)
        if unit is None or unit.functions is None:
            return True
        with suppress(*damage()):
            entry = unit.functions.own(address)
            for low, high in ranges(entry, entry.cu, self._debug) if entry else ():
                body = next((one for one in unit.bodies if low <= one < high), None)
                if low <= address < high and body is not None:
                    rule = self.caller(address)
                    return rule is None or rule != self.caller(body)
        return True

    def local(self, address: int, offset: int) -> str:
        """Return the local variable of an active function, as "row+8"; "" if there is none.

        Args:
            address: an address in the function's code.
            offset: bytes from its canonical frame address.
        """
        unit = self._unit(address)
        with suppress(*damage()):
            function = unit.functions.own(address) if unit and unit.functions else None
            return variable(function, address, offset, self._debug) if function else ""
        return ""

    def _name(self, address: int) -> str:
        symbol = self._symbol(address)
        return source_name(symbol.name) if symbol else ""

    def _symbol(self, address: int) -> Symbol | None:
        position = bisect.bisect_right(self._starts, address) - 1
        found = self._symbols[position] if position >= 0 else None
        return found if found is not None and address < found.high else None

    def _read_symbols(self, kind: str = "STT_FUNC") -> Iterator[Symbol]:
        for name in (".symtab", ".dynsym"):
            section = self._elf.get_section_by_name(name)
            if section is None or section.header["sh_type"] == "SHT_NOBITS":
                continue
            for symbol in section.iter_symbols():
                low, size = symbol["st_value"], symbol["st_size"]
                if symbol["st_info"]["type"] == kind and low and symbol.name:
                    yield Symbol(low, low + max(size, 1), symbol.name)
            return

    def _unit(self, address: int) -> _Unit | None:
        if self._debug is None:
            return None
        with suppress(*damage()):
            found = self._find(address)
            if found is None:
                return None
            if found.cu_offset not in self._units:
                self._units[found.cu_offset] = self._read_unit(found)
            return self._units[found.cu_offset]
        return None

    def _find(self, address: int) -> Any:
        table = self._aranges
        offset = table.cu_offset_at_addr(address) if table is not None else None
        if offset is not None:
            return self._debug.get_CU_at(offset)
        spans = itertools.chain(self._spans, self._coming)
        return next((unit for low, high, unit in spans if low <= address < high), None)

    def _read_spans(self) -> Iterator[tuple[int, int, Any]]:
        for unit in self._debug.iter_CUs():
            for low, high in ranges(unit.get_top_DIE(), unit, self._debug):
                self._spans.append((low, high, unit))
                yield low, high, unit

    def _read_unit(self, unit: Any) -> _Unit:
        starts: list[int] = []
        lines: list[Line | None] = []
        program = self._debug.line_program_for_CU(unit)
        files = _files(program.header, _directory(unit)) if program is not None else {}
        rows = _rows(program, files) if program is not None else ()
        for address, line in sorted(rows, key=lambda row: (row[0], row[1] is not None)):
            if starts and starts[-1] == address:
                lines[-1] = line
            else:
                starts.append(address)
                lines.append(line)
        functions = None
        if unit["unit_length"] <= _MOST:
            with suppress(*damage()):
                functions = Functions(unit, self._debug)
        bodies = sorted(_bodies(program)) if program is not None else []
        return _Unit(starts, lines, files, functions, bodies)


def _bodies(program: Any) -> Iterator[int]:
    for entry in program.get_entries():
        if entry.state is not None and entry.state.prologue_end:
            yield entry.state.address


def _rows(program: Any, files: Mapping[int, str]) -> Iterator[tuple[int, Line | None]]:
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if state.end_sequence:
            yield state.address, None
        elif state.line and state.file in files:
            yield state.address, _line(files[state.file], state.line)


def _line(path: str, line: int) -> Line:
    return Line(os.path.basename(path), line, path)


def _files(header: Any, directory: str) -> dict[int, str]:
    first = 0 if header["version"] >= 5 else 1
    return {
        number: _path(header, file, directory)
        for number, file in enumerate(header["file_entry"], first)
    }


def _directory(unit: Any) -> str:
    # The directory in which the compiler ran.
    attribute = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    return os.fsdecode(attribute.value) if attribute is not None else ""


def _path(header: Any, file: Any, directory: str) -> str:
    # Before DWARF 5 the list of directories lacks the first one, in which the compiler ran.
    listed = [os.fsdecode(name) for name in header["include_directory"]]
    if header["version"] < 5:
        listed.insert(0, directory)
    inside = listed[file.dir_index] if file.dir_index < len(listed) else ""
    return os.path.normpath(os.path.join(directory, inside, os.fsdecode(file.name)))


def _separate(elf: Any) -> str:
    # The path at which Linux distributions install the debug information of packages.
    section = elf.get_section_by_name(".note.gnu.build-id")
    if section is None:
        return ""
    number = next((note["n_desc"] for note in section.iter_notes()), "")
    path = f"/usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
    return path if number and os.path.exists(path) else ""


def damage() -> tuple[type[Exception], ...]:
    """Return the exceptions that pyelftools raises for damaged data, or without pyelftools."""
    try:
        from elftools.common.exceptions import DWARFError, ELFError
    except ImportError:
        return (ImportError,)
    by_python = (ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError)
    return (ELFError, DWARFError, OSError, NotImplementedError, struct.error, *by_python)
