# SPDX-License-Identifier: MIT
"""The locations of variables: in memory, in registers, or in pieces (DWARF 5, section 2.6).

Optimizing compilers keep a list of locations for a variable, by address of code. A variable that
lies in no memory gets an address that no process has, so that its value is read like any other.
"""

from __future__ import annotations

import sys
from typing import Any

from mpipp.common.errors import UnreadableMemory
from mpipp.symbolizer.variables import expressions
from mpipp.symbolizer.variables.expressions import CallMemory, Frame, Unknown, leb

_ADDR, _ADDRX = 0x03, 0xA1
_REG0, _REG31, _REGX = 0x50, 0x6F, 0x90
_STACK_VALUE, _IMPLICIT_VALUE, _PIECE = 0x9F, 0x9E, 0x93
_WORD = 8
_MOST_STEPS = 64
_FIRST_VALUE = 0xFFFF_8000_0000_0000  # the kernel's part of the address space
_LISTS = ("DW_FORM_sec_offset", "DW_FORM_loclistx", "DW_FORM_data4")


class Values:
    """The memory of a process, with values from registers at addresses that no process has."""

    def __init__(self, memory: CallMemory) -> None:
        self._memory = memory
        self._pieces: list[tuple[int, bytes]] = []
        self._next = _FIRST_VALUE

    @property
    def is_current(self) -> bool:
        """True if memory was read that is not a copy from the time of the call."""
        return self._memory.is_current

    @is_current.setter
    def is_current(self, known: bool) -> None:
        self._memory.is_current = known

    def read(self, address: int, length: int) -> bytes:
        """Return exactly `length` bytes. Raises UnreadableMemory when any cannot be read."""
        if address < _FIRST_VALUE:
            return self._memory.read(address, length)
        for start, data in self._pieces:
            if start <= address and address + length <= start + len(data):
                return data[address - start : address - start + length]
        raise UnreadableMemory(address, length)

    def place(self, pieces: list[bytes | int]) -> int:
        """Store a value at an unused address, which is returned. A number among the pieces stands
        for as many unknown bytes."""
        first, known = self._next, b""
        for piece in pieces:
            if isinstance(piece, bytes):
                known += piece
                continue
            self._pieces.append((self._next, known))
            self._next += len(known) + piece
            known = b""
        self._pieces.append((self._next, known))
        self._next += len(known) + _WORD
        return first


def expression(entry: Any, address: int, debug: Any) -> bytes | None:
    """The expression for a variable's location at an address of code; None if it has none there.

    Raises what pyelftools raises for damage.
    """
    attribute = entry.attributes.get("DW_AT_location")
    if attribute is None:
        return None
    if isinstance(attribute.value, (list, tuple, bytes)):
        found: bytes | None = bytes(attribute.value)
    else:
        found = _listed(attribute, entry, address, debug)
    if found and found[0] == _ADDRX:
        return _with_address(found, entry, debug)
    return found


def located(code: bytes, frame: Frame, values: Values) -> int:
    """The address of the variable that an expression describes.

    Raises Unknown, UnreadableMemory, IndexError for damage.
    """
    stack: list[int] = []
    data: bytes | int | None = None
    pieces: list[bytes | int] = []
    at = 0
    for _ in range(_MOST_STEPS):
        if at >= len(code):
            if pieces:
                return values.place(pieces)
            if data is None:
                return stack[-1] % (1 << 64)
            return values.place([data])
        operation = code[at]
        if operation == _PIECE:
            bytes_, at = leb(code, at + 1)
            pieces.append(_piece(data, stack, values, bytes_))
            stack, data = [], None
        elif _REG0 <= operation <= _REG31:
            data, at = _register(frame, operation - _REG0), at + 1
        elif operation == _STACK_VALUE:
            data, at = (stack.pop() % (1 << 64)).to_bytes(_WORD, sys.byteorder), at + 1
        elif operation == _IMPLICIT_VALUE:
            bytes_, at = leb(code, at + 1)
            data, at = code[at : at + bytes_], at + bytes_
        else:
            at = expressions.step(operation, code, at + 1, stack, frame, None)
    raise Unknown


def _register(frame: Frame, number: int) -> bytes:
    if number not in frame.registers:
        raise Unknown
    return frame.registers[number].to_bytes(_WORD, sys.byteorder)


def _piece(data: bytes | int | None, stack: list[int], values: Values, size: int) -> bytes | int:
    if isinstance(data, bytes) and len(data) >= size:
        return data[:size]
    return values.read(stack[-1], size) if stack else size


def _listed(attribute: Any, entry: Any, address: int, debug: Any) -> bytes | None:
    if attribute.form not in _LISTS:
        return None
    if attribute.form == "DW_FORM_loclistx" and attribute.value == attribute.raw_value:
        return None  # an older pyelftools returns the index
    lists = debug.location_lists()
    if lists is None:
        return None
    top = entry.cu.get_top_DIE().attributes
    base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
    for one in lists.get_location_list_at_offset(attribute.value, entry):
        if hasattr(one, "base_address"):
            base = one.base_address
        elif hasattr(one, "loc_expr"):
            start = 0 if getattr(one, "is_absolute", False) else base
            if start + one.begin_offset <= address < start + one.end_offset:
                return bytes(one.loc_expr)
    return None


def _with_address(code: bytes, entry: Any, debug: Any) -> bytes | None:
    # Clang writes an index into a table of addresses.
    if not hasattr(debug, "get_addr"):
        return None  # an older pyelftools
    number, at = leb(code, 1)
    address: int = debug.get_addr(entry.cu, number)
    return bytes([_ADDR]) + address.to_bytes(_WORD, sys.byteorder) + code[at:]
