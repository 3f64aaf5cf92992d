# SPDX-License-Identifier: MIT
"""Variables in the stack frame of a function, by debug information (DWARF 5, sections 2.6 and 4).

Only variables with a fixed place in the frame are found: arrays, structs, and others that the
compiler has not optimised away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mpipp.symbolizer.inlined_functions import name_of, ranges

_FBREG, _CALL_FRAME_CFA, _REG6 = 0x91, 0x9C, 0x56
# The frame base minus the canonical frame address, for each way to define the frame base. On x86-64
# %rbp is saved below the return address.
_BASES = {_CALL_FRAME_CFA: 0, _REG6: -16}
_VARIABLES = ("DW_TAG_variable", "DW_TAG_formal_parameter")
_DECLARED = (*_VARIABLES, "DW_TAG_constant")
_INLINED = "DW_TAG_inlined_subroutine"
_BLOCKS = ("DW_TAG_lexical_block", _INLINED)
_COMMON = "DW_TAG_common_block"
_NAMED = (*(f"DW_TAG_{one}_type" for one in ("const", "volatile", "atomic")), "DW_TAG_typedef")
_FORTRAN = (7, 8, 14, 34, 35)  # DW_LANG codes of languages whose arrays begin with 1
_DEEP = 32  # levels of types within types


def variable(function: Any, address: int, offset: int, debug: Any) -> str:
    """Return the variable at an offset of a stack frame, as "row+8"; "" if there is none.

    Args:
        function: the function's debug entry.
        address: the code address where the function continues.
        offset: bytes from the canonical frame address.
        debug: the file's whole debug information.
    """
    where = _expression(function, "DW_AT_frame_base")
    base = _BASES.get(where[0]) if len(where) == 1 else None
    found = ""
    for entry in visible(function, address, debug) if base is not None else ():
        start = _offset(_expression(entry, "DW_AT_location"))
        size = _size(entry) if start is not None else None
        if start is None or size is None or base is None:
            continue
        distance = offset - (base + start)
        name = name_of(entry) if 0 <= distance < size else ""
        if name:  # the innermost block comes last
            found = f"{name}+{distance}" if distance else name
    return found


def visible(function: Any, address: int, debug: Any) -> Iterator[Any]:
    """Yield the entries of the variables that are visible at an address, outermost block first."""
    for block in blocks(function, address, debug):
        yield from (child for child in _children(block) if child.tag in _VARIABLES)


def declared(function: Any, address: int, debug: Any) -> list[list[Any]]:
    """The entries of variables and constants of the function at an address, and of each function
    that is inlined there, outermost function and block first.

    They include those that the compiler optimized away.
    """
    found: list[list[Any]] = []
    for block in blocks(function, address, debug):
        if not found or block.tag == _INLINED:
            found.append([])
        origin = block.attributes.get("DW_AT_abstract_origin")
        whole = [block] if origin is None else [block.get_DIE_from_attribute(origin.name), block]
        found[-1] += (child for one in whole for child in _children(one) if child.tag in _DECLARED)
    return found


def visible_at_lines(
    function: Any, address: int, line: int, debug: Any
) -> Iterator[tuple[Any, int]]:
    """The entries of `visible`, each with the line that its function executes: that of the address,
    or of the inlined call.

    Args:
        line: of the address.
    """
    every = list(blocks(function, address, debug))
    lines = [line]
    for block in every[:0:-1]:
        is_inlined = block.tag == _INLINED
        call = block.attributes.get("DW_AT_call_line") if is_inlined else None
        lines.append((call.value if call is not None else 0) if is_inlined else lines[-1])
    for block, at in zip(every, reversed(lines)):
        yield from ((child, at) for child in _children(block) if child.tag in _VARIABLES)


def blocks(function: Any, address: int, debug: Any) -> Iterator[Any]:
    """The function and its blocks that an address is in, outermost first."""
    found = [function]
    for block in found:
        yield block
        for child in _children(block):
            if child.tag == _COMMON or (
                child.tag in _BLOCKS
                and any(low <= address < high for low, high in ranges(child, child.cu, debug))
            ):
                found.append(child)


def _children(entry: Any) -> Iterator[Any]:
    # Stops at a child that does not follow the previous one: a damaged file could cause a loop.
    last = entry.offset
    for child in entry.iter_children():
        if child.offset <= last:
            return
        last = child.offset
        yield child


def _expression(entry: Any, name: str) -> list[int]:
    attribute = entry.attributes.get(name)
    value = attribute.value if attribute is not None else []
    return list(value) if isinstance(value, (list, tuple, bytes)) else []  # [] for a location list


def _offset(location: list[int]) -> int | None:
    # Reads an SLEB128 number.
    if len(location) < 2 or location[0] != _FBREG:
        return None
    value = shift = 0
    for position, byte in enumerate(location[1:], 1):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            is_whole = position + 1 == len(location)
            return (value - (1 << shift) if byte & 0x40 else value) if is_whole else None
    return None


def _size(entry: Any) -> int | None:
    # The size in bytes of an entry's type; None if that is not constant.
    count = 1
    for _ in range(_DEEP):
        origin = "DW_AT_abstract_origin"
        if "DW_AT_type" not in entry.attributes and origin in entry.attributes:
            entry = entry.get_DIE_from_attribute(origin)
        if "DW_AT_type" not in entry.attributes:
            return None
        entry = entry.get_DIE_from_attribute("DW_AT_type")
        if entry.tag == "DW_TAG_array_type":
            elements = _elements(entry)
            if elements is None:
                return None
            count *= elements
        elif entry.tag not in _NAMED:
            size = entry.attributes.get("DW_AT_byte_size")
            return count * size.value if size is not None and isinstance(size.value, int) else None
    return None


def _elements(array: Any) -> int | None:
    language = array.cu.get_top_DIE().attributes.get("DW_AT_language")
    first = 1 if language is not None and language.value in _FORTRAN else 0
    count = 1
    for dimension in _children(array):
        if dimension.tag != "DW_TAG_subrange_type":
            continue
        given = {name: one.value for name, one in dimension.attributes.items()}
        low = given.get("DW_AT_lower_bound", first)
        last = given.get("DW_AT_upper_bound")
        if "DW_AT_count" in given:
            low, last = 1, given["DW_AT_count"]
        if not isinstance(low, int) or not isinstance(last, int):
            return None
        count *= last - low + 1
    return count
