# SPDX-License-Identifier: MIT
"""Functions of a compilation unit, and the functions inlined into them, from debug information.

pyelftools takes some 20 us for each entry, and a unit may have a hundred thousand. So pyelftools
reads only entries with code; this module itself skips the others.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

_TAGS = {"DW_TAG_subprogram": False, "DW_TAG_inlined_subroutine": True}
_SIZES = {
    **dict.fromkeys(("flag_present", "implicit_const"), 0),
    **dict.fromkeys(("data1", "ref1", "flag", "strx1", "addrx1"), 1),
    **dict.fromkeys(("data2", "ref2", "strx2", "addrx2"), 2),
    **dict.fromkeys(("strx3", "addrx3"), 3),
    **dict.fromkeys(("data4", "ref4", "strx4", "addrx4", "ref_sup4"), 4),
    **dict.fromkeys(("data8", "ref8", "ref_sig8", "ref_sup8"), 8),
    "data16": 16,
}
_OFFSETS = ("strp", "line_strp", "sec_offset", "strp_sup", "GNU_ref_alt", "GNU_strp_alt")
_NUMBERS = (
    *("udata", "sdata", "ref_udata", "strx", "addrx", "loclistx", "rnglistx"),
    *("GNU_addr_index", "GNU_str_index"),
)
_BLOCKS = {"block1": 1, "block2": 2, "block4": 4}  # bytes of the length in front of the block
# Steps over attributes of variable size. A step of -3 - n skips a block whose length is stored in n
# bytes.
_NUMBER, _STRING, _BLOCK = -1, -2, -3


class Function(NamedTuple):
    """A function that has code at an address, of its own or inlined.

    Attributes:
        name: "" if it has none.
        call: numbers of the file and line of the call that was inlined; None: it was not inlined.
    """

    name: str
    call: tuple[int, int] | None


class _Entry(NamedTuple):
    offset: int
    depth: int
    is_inlined: bool


class _Plan(NamedTuple):
    # How to skip the entries of an abbreviation: a step is a number of bytes, or negative as
    # defined above.
    steps: Sequence[int]
    has_children: bool
    is_inlined: bool | None  # None: not a function with code


class Functions:
    """The functions of one compilation unit.

    Args:
        unit: pyelftools' unit.
        debug: the file's whole debug information.
    """

    def __init__(self, unit: Any, debug: Any) -> None:
        self._unit, self._debug = unit, debug
        self._entries = list(_entries(unit, debug))
        self._own = [
            (low, high, number)
            for number, entry in enumerate(self._entries)
            if not entry.is_inlined
            for low, high in self._ranges(entry)
        ]
        self._inlined: dict[int, list[tuple[int, int, _Entry]]] = {}  # by index in _entries

    def at(self, address: int) -> list[Function]:
        """Return the functions at an address, innermost inlined function first; [] if none."""
        for low, high, number in self._own:
            if low <= address < high:
                inside = [one for lo, hi, one in self._inside(number) if lo <= address < hi]
                return [self._function(one) for one in (*inside[::-1], self._entries[number])]
        return []

    def own(self, address: int) -> Any:
        """Return the entry of the function whose code has an address; None if there is none."""
        for low, high, number in self._own:
            if low <= address < high:
                return self._unit.get_DIE_from_refaddr(self._entries[number].offset)
        return None

    def _inside(self, number: int) -> list[tuple[int, int, _Entry]]:
        # The functions inlined into a function, the outermost first.
        if number not in self._inlined:
            depth = self._entries[number].depth
            after = itertools.islice(self._entries, number + 1, None)
            inside = itertools.takewhile(lambda entry: entry.depth > depth, after)
            self._inlined[number] = [
                (*one, entry) for entry in inside if entry.is_inlined for one in self._ranges(entry)
            ]
        return self._inlined[number]

    def _function(self, entry: _Entry) -> Function:
        read = self._unit.get_DIE_from_refaddr(entry.offset)
        if not entry.is_inlined:
            return Function(name_of(read), None)
        attributes = read.attributes
        called = ("DW_AT_call_file", "DW_AT_call_line")
        file, line = (attributes[one].value if one in attributes else 0 for one in called)
        return Function(name_of(read), (file, line))

    def _ranges(self, entry: _Entry) -> Iterator[tuple[int, int]]:
        read = self._unit.get_DIE_from_refaddr(entry.offset)
        return ranges(read, self._unit, self._debug)


def ranges(entry: Any, unit: Any, debug: Any) -> Iterator[tuple[int, int]]:
    """Yield the address ranges [low, high) of an entry."""
    attributes = entry.attributes
    if "DW_AT_ranges" in attributes:
        yield from _listed(attributes["DW_AT_ranges"], unit, debug)
    elif "DW_AT_high_pc" in attributes and "DW_AT_low_pc" in attributes:
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        relative = high.form not in ("DW_FORM_addr", "DW_FORM_addrx")
        yield low, low + high.value if relative else high.value


def _listed(attribute: Any, unit: Any, debug: Any) -> Iterator[tuple[int, int]]:
    top = unit.get_top_DIE().attributes
    base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
    lists = debug.range_lists()
    offset = attribute.value
    if attribute.form == "DW_FORM_rnglistx" and offset == attribute.raw_value:
        return  # an older pyelftools returns the index unresolved
    for one in lists.get_range_list_at_offset(offset, unit):
        if hasattr(one, "base_address"):
            base = one.base_address
        elif getattr(one, "is_absolute", False):
            yield one.begin_offset, one.end_offset
        else:
            yield base + one.begin_offset, base + one.end_offset


def name_of(entry: Any) -> str:
    """Return the name of an entry; "" if it has none."""
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


def _entries(unit: Any, debug: Any) -> Iterator[_Entry]:
    # Yields the functions with code. Raises IndexError, KeyError or ValueError for damaged data.
    stream = debug.debug_info_sec.stream
    first, end = unit.cu_die_offset, unit.cu_offset + unit.size
    stream.seek(first)
    content = stream.read(end - first)
    table = unit.get_abbrev_table()
    order: Literal["little", "big"] = "little" if debug.config.little_endian else "big"
    plans: dict[int, _Plan] = {}
    at = depth = 0
    while at < len(content):
        offset = first + at
        code, at = _number(content, at)
        if code == 0:
            depth -= 1
            continue
        plan = plans.get(code)
        if plan is None:
            plan = plans[code] = _plan(table.get_abbrev(code), unit)
        if plan.is_inlined is not None:
            yield _Entry(offset, depth, plan.is_inlined)
        depth += plan.has_children
        for step in plan.steps:
            at = at + step if step >= 0 else _behind(content, at, step, order)


def _plan(abbreviation: Any, unit: Any) -> _Plan:
    attributes = list(abbreviation.iter_attr_specs())
    has_code = any(name in ("DW_AT_low_pc", "DW_AT_ranges") for name, _ in attributes)
    steps: list[int] = []
    for _, form in attributes:
        step = _step(form, unit)
        if step >= 0 and steps and steps[-1] >= 0:
            steps[-1] += step
        else:
            steps.append(step)
    is_inlined = _TAGS.get(abbreviation["tag"]) if has_code else None
    return _Plan(steps, abbreviation.has_children(), is_inlined)


def _step(form: str, unit: Any) -> int:
    name = form[len("DW_FORM_") :]
    if name in _SIZES:
        return _SIZES[name]
    address: int = unit["address_size"]
    offset: int = unit.dwarf_format() // 8
    if name == "addr" or (name == "ref_addr" and unit["version"] < 3):
        return address
    if name == "ref_addr" or name in _OFFSETS:
        return offset
    if name in _NUMBERS:
        return _NUMBER
    if name == "string":
        return _STRING
    if name in ("block", "exprloc"):
        return _BLOCK
    length: int = _BLOCKS[name]
    return _BLOCK - length


def _behind(content: bytes, at: int, step: int, order: Literal["little", "big"]) -> int:
    if step == _NUMBER:
        return _number(content, at)[1]
    if step == _STRING:
        return content.index(0, at) + 1
    if step == _BLOCK:
        size, at = _number(content, at)
        return at + size
    length = _BLOCK - step
    return at + length + int.from_bytes(content[at : at + length], order)


def _number(content: bytes, at: int) -> tuple[int, int]:
    # Reads a ULEB128 number; returns it and the position behind it.
    byte = content[at]
    if byte < 0x80:
        return byte, at + 1
    value, shift = byte & 0x7F, 7
    while byte >= 0x80:
        at += 1
        byte = content[at]
        value |= (byte & 0x7F) << shift
        shift += 7
    return value, at + 1
