# SPDX-License-Identifier: MIT
"""Source lines and functions of addresses in an ELF file, by its debug information and symbols."""

from __future__ import annotations

import bisect
import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

# Of what compilers make of the name of a variable: of a Fortran module, or local and static.
_FORTRAN = re.compile(r"(?:__\w+?_MOD_)?(.+?)(?:\.\d+)?$")
_MOST = 1 << 22  # bytes of a compilation unit whose functions are looked for


class Line(NamedTuple):
    """A line of source."""

    file: str  # without its directory
    line: int
    path: str  # as the compiler was given it, from the root if it says where it was


class _Function(NamedTuple):  # or a variable
    low: int
    high: int
    name: str


class _Unit(NamedTuple):
    # Of one compilation unit: where lines begin, in order, and functions, the innermost last.
    starts: list[int]
    lines: list[Line | None]  # None: from here on there are none
    functions: list[_Function]


class Lines:
    """One file's; addresses are those that the file itself has.

    A file that cannot be read, or makes no sense, has neither lines nor symbols.
    """

    def __init__(self, path: str) -> None:
        self._units: dict[int, _Unit] = {}
        self._symbols: list[_Function] = []
        self._variables: list[_Function] | None = None  # read when first asked for
        self._starts: list[int] = []
        self._elf: Any = None
        self._debug: Any = None
        self._segments: list[tuple[int, int, int]] = []  # offset, bytes, address
        with suppress(*_damage()):
            self._open(path)

    def _open(self, path: str) -> None:
        from elftools.elf.elffile import ELFFile

        # Open as long as the watcher runs.
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

    def address(self, offset: int) -> int | None:
        """The address of what is at an offset in the file; None if it is not loaded."""
        for start, size, address in self._segments:
            if start <= offset < start + size:
                return offset - start + address
        return None

    def line(self, address: int) -> Line | None:
        """The line of an address."""
        unit = self._unit(address)
        if unit is None:
            return None
        position = bisect.bisect_right(unit.starts, address) - 1
        return unit.lines[position] if position >= 0 else None

    def function(self, address: int) -> str:
        """The function that an address is in, "" if that is not known."""
        unit = self._unit(address)
        inside = [f for f in unit.functions if f.low <= address < f.high] if unit else []
        if inside:
            return min(inside, key=lambda f: f.high - f.low).name
        symbol = self._symbol(address)
        return symbol.name if symbol else ""

    def symbol(self, address: int) -> str:
        """ "main+18": the symbol before an address, "" if there is none."""
        symbol = self._symbol(address)
        if symbol is None:
            return ""
        distance = address - symbol.low
        return f"{symbol.name}+{distance}" if distance else symbol.name

    def variable(self, address: int) -> str:
        """ "faces+3968": the static variable that has an address, "" if there is none."""
        if self._variables is None:
            self._variables = []
            with suppress(*_damage()):
                self._variables = sorted(self._read_symbols("STT_OBJECT"))
        position = bisect.bisect_right(self._variables, (address, sys.maxsize)) - 1
        found = self._variables[position] if position >= 0 else None
        if found is None or address >= found.high:
            return ""
        name, distance = _FORTRAN.sub(r"\1", found.name), address - found.low
        return f"{name}+{distance}" if distance else name

    def _symbol(self, address: int) -> _Function | None:
        position = bisect.bisect_right(self._starts, address) - 1
        found = self._symbols[position] if position >= 0 else None
        return found if found is not None and address < found.high else None

    def _read_symbols(self, kind: str = "STT_FUNC") -> Iterator[_Function]:
        for name in (".symtab", ".dynsym"):
            section = self._elf.get_section_by_name(name)
            if section is None or section.header["sh_type"] == "SHT_NOBITS":
                continue
            for symbol in section.iter_symbols():
                low, size = symbol["st_value"], symbol["st_size"]
                if symbol["st_info"]["type"] == kind and low and symbol.name:
                    yield _Function(low, low + max(size, 1), symbol.name)
            return

    def _unit(self, address: int) -> _Unit | None:
        if self._debug is None:
            return None
        with suppress(*_damage()):
            found = self._find(address)
            if found is None:
                return None
            if found.cu_offset not in self._units:
                self._units[found.cu_offset] = self._read_unit(found)
            return self._units[found.cu_offset]
        return None

    def _find(self, address: int) -> Any:
        table = self._debug.get_aranges()
        offset = table.cu_offset_at_addr(address) if table is not None else None
        if offset is not None:
            return self._debug.get_CU_at(offset)
        for unit in self._debug.iter_CUs():
            top = unit.get_top_DIE()
            if any(low <= address < high for low, high in self._ranges(top, unit)):
                return unit
        return None

    def _read_unit(self, unit: Any) -> _Unit:
        starts: list[int] = []
        lines: list[Line | None] = []
        for address, line in sorted(self._rows(unit), key=lambda row: (row[0], row[1] is not None)):
            if starts and starts[-1] == address:
                lines[-1] = line
            else:
                starts.append(address)
                lines.append(line)
        functions = list(self._functions(unit)) if unit["unit_length"] <= _MOST else []
        return _Unit(starts, lines, functions)

    def _rows(self, unit: Any) -> Iterator[tuple[int, Line | None]]:
        program = self._debug.line_program_for_CU(unit)
        if program is None:
            return
        files = program.header["file_entry"]
        first = 0 if program.header["version"] >= 5 else 1
        paths = [_path(program.header, file, _directory(unit)) for file in files]
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if state.end_sequence:
                yield state.address, None
            elif 0 <= state.file - first < len(files) and state.line:
                path = paths[state.file - first]
                yield state.address, Line(os.path.basename(path), state.line, path)

    def _functions(self, unit: Any) -> Iterator[_Function]:
        for entry in unit.iter_DIEs():
            if entry.tag in ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine"):
                name = _name(entry)
                for low, high in self._ranges(entry, unit):
                    if name:
                        yield _Function(low, high, name)

    def _ranges(self, entry: Any, unit: Any) -> Iterator[tuple[int, int]]:
        attributes = entry.attributes
        if "DW_AT_ranges" in attributes:
            yield from self._listed(attributes["DW_AT_ranges"], unit)
        elif "DW_AT_high_pc" in attributes and "DW_AT_low_pc" in attributes:
            low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
            relative = high.form not in ("DW_FORM_addr", "DW_FORM_addrx")
            yield low, low + high.value if relative else high.value

    def _listed(self, attribute: Any, unit: Any) -> Iterator[tuple[int, int]]:
        top = unit.get_top_DIE().attributes
        base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
        ranges = self._debug.range_lists()
        offset = attribute.value
        if attribute.form == "DW_FORM_rnglistx" and offset == attribute.raw_value:
            return  # an index still, with an older pyelftools
        for one in ranges.get_range_list_at_offset(offset, unit):
            if hasattr(one, "base_address"):
                base = one.base_address
            elif getattr(one, "is_absolute", False):
                yield one.begin_offset, one.end_offset
            else:
                yield base + one.begin_offset, base + one.end_offset


def _directory(unit: Any) -> str:
    # Where the compiler was.
    attribute = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    return os.fsdecode(attribute.value) if attribute is not None else ""


def _path(header: Any, file: Any, directory: str) -> str:
    # Before DWARF 5 the first of the directories is left out, where the compiler was.
    listed = [os.fsdecode(name) for name in header["include_directory"]]
    if header["version"] < 5:
        listed.insert(0, directory)
    inside = listed[file.dir_index] if file.dir_index < len(listed) else ""
    return os.path.normpath(os.path.join(directory, inside, os.fsdecode(file.name)))


def _name(entry: Any) -> str:
    for _ in range(4):
        if "DW_AT_name" in entry.attributes:
            return os.fsdecode(entry.attributes["DW_AT_name"].value)
        for link in ("DW_AT_abstract_origin", "DW_AT_specification"):
            if link in entry.attributes:
                entry = entry.get_DIE_from_attribute(link)
                break
        else:
            return ""
    return ""


def _separate(elf: Any) -> str:
    # Where distributions put the debug information of their packages.
    section = elf.get_section_by_name(".note.gnu.build-id")
    if section is None:
        return ""
    number = next((note["n_desc"] for note in section.iter_notes()), "")
    path = f"/usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
    return path if number and os.path.exists(path) else ""


def _damage() -> tuple[type[Exception], ...]:
    # What pyelftools raises for bytes that make no sense, or if it is not there.
    try:
        from elftools.common.exceptions import DWARFError, ELFError
    except ImportError:
        return (ImportError,)
    by_python = (ValueError, LookupError, TypeError, AttributeError, AssertionError)
    return (ELFError, DWARFError, OSError, NotImplementedError, *by_python)
