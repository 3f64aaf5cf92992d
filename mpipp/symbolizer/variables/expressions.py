# SPDX-License-Identifier: MIT
"""DWARF expressions (DWARF 5, section 2.5) for addresses of variables and bounds of dynamic arrays.

Only expressions that compilers write for variables in memory are evaluated. The value of any other,
for example of one that needs a register, is unknown.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

_MOST_STEPS = 64
_WORD = 8
_WRAP = 1 << 64

# Codes of operations (DWARF 5, section 7.7.1).
_ADDR, _DEREF, _DUP, _DROP, _PLUS_UCONST = 0x03, 0x06, 0x12, 0x13, 0x23
_CONSTANTS = {0x08: (1, False), 0x09: (1, True), 0x0A: (2, False), 0x0B: (2, True)}
_CONSTANTS |= {0x0C: (4, False), 0x0D: (4, True), 0x0E: (8, False), 0x0F: (8, True)}
_CONSTU, _CONSTS, _LIT0, _LIT31 = 0x10, 0x11, 0x30, 0x4F
_FBREG, _OBJECT, _CALL_FRAME_CFA = 0x91, 0x97, 0x9C
_REG0, _REG31, _BREG0, _BREG31, _RBP = 0x50, 0x6F, 0x70, 0x8F, 6
_BINARY: dict[int, Callable[[int, int], int]] = {
    0x1A: lambda a, b: a & b,
    0x1C: lambda a, b: a - b,
    0x1E: lambda a, b: a * b,
    0x21: lambda a, b: a | b,
    0x22: lambda a, b: a + b,
    0x29: lambda a, b: int(a == b),
    0x2E: lambda a, b: int(a != b),
}
_SAVED_BASE = -16  # offset of %rbp from the canonical frame address, in functions that save it


class CallMemory(Protocol):
    """The memory of a process that has continued since the queried call.

    Attributes:
        is_current: whether something was read that is not a copy from the time of the call.
    """

    is_current: bool

    def read(self, address: int, length: int) -> bytes:
        """Return exactly `length` bytes. Raises UnreadableMemory if any of them is unreadable."""


class Unknown(Exception):
    """The expression needs a value that is unknown."""


class Frame(NamedTuple):
    """The context of an expression.

    Attributes:
        cfa: the canonical frame address; None: the variable is in no frame.
        frame_base: the function's expression for DW_OP_fbreg.
        bias: difference between process and file addresses.
        memory: the process's memory.
        registers: values of the known registers, by DWARF's numbers.
    """

    cfa: int | None
    frame_base: bytes
    bias: int
    memory: CallMemory
    registers: Mapping[int, int] = MappingProxyType({})

    def base(self) -> int:
        """The base of DW_OP_fbreg. Raises Unknown."""
        if self.cfa is None:
            raise Unknown
        if self.frame_base == bytes([_CALL_FRAME_CFA]):
            return self.cfa
        if len(self.frame_base) == 1 and _REG0 <= self.frame_base[0] <= _REG31:
            return self.register(self.frame_base[0] - _REG0)
        raise Unknown

    def register(self, number: int) -> int:
        """The value of a register. Raises Unknown."""
        if number in self.registers:
            return self.registers[number]
        if number == _RBP and self.cfa is not None:
            return self.cfa + _SAVED_BASE
        raise Unknown

    def word(self, address: int) -> int:
        """Return the unsigned word of eight bytes at an address. Raises UnreadableMemory."""
        return int.from_bytes(self.memory.read(address, _WORD), sys.byteorder)


def value(expression: bytes, frame: Frame, whole: int | None = None) -> int:
    """Evaluate an expression, and return an address or a bound, unsigned.

    Args:
        whole: the object's address, for DW_OP_push_object_address.

    Raises Unknown, UnreadableMemory, and IndexError for damaged data.
    """
    stack: list[int] = []
    at = 0
    for _ in range(_MOST_STEPS):
        if at >= len(expression):
            return stack[-1] % _WRAP
        code, at = expression[at], at + 1
        at = step(code, expression, at, stack, frame, whole)
    raise Unknown


def step(
    code: int, expression: bytes, at: int, stack: list[int], frame: Frame, whole: int | None
) -> int:
    """Execute one operation and return where the next begins. Raises what `value` raises."""
    if code == _ADDR:
        stack.append(int.from_bytes(expression[at : at + _WORD], sys.byteorder) + frame.bias)
        return at + _WORD
    if code == _DEREF:
        stack.append(frame.word(stack.pop()))
    elif code == _FBREG or _BREG0 <= code <= _BREG31:
        offset, at = leb(expression, at, signed=True)
        base = frame.base() if code == _FBREG else frame.register(code - _BREG0)
        stack.append((base + offset) % _WRAP)
    elif code == _CALL_FRAME_CFA and frame.cfa is not None:
        stack.append(frame.cfa)
    elif code == _OBJECT and whole is not None:
        stack.append(whole)
    elif code == _PLUS_UCONST:
        number, at = leb(expression, at)
        stack[-1] += number
    elif code in (_CONSTU, _CONSTS):
        number, at = leb(expression, at, signed=code == _CONSTS)
        stack.append(number)
    elif code in _CONSTANTS:
        size, signed = _CONSTANTS[code]
        stack.append(int.from_bytes(expression[at : at + size], sys.byteorder, signed=signed))
        return at + size
    elif _LIT0 <= code <= _LIT31:
        stack.append(code - _LIT0)
    elif code in _BINARY:
        right, left = stack.pop(), stack.pop()
        stack.append(_BINARY[code](left, right) % _WRAP)
    elif code == _DUP:
        stack.append(stack[-1])
    elif code == _DROP:
        stack.pop()
    else:
        raise Unknown
    return at


def leb(data: bytes, at: int, signed: bool = False) -> tuple[int, int]:
    """Return a LEB128 number, and the position behind it. Raises IndexError."""
    number = shift = 0
    while True:
        byte, at = data[at], at + 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return (number - (1 << shift) if signed and byte & 0x40 else number), at
