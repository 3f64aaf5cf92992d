# SPDX-License-Identifier: MIT
"""The callers of a function in a process without a tracer, from the process's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from mpipp.common.errors import MpippError
from mpipp.symbolizer.frame_table import AT_RBP, RBP, Rule
from mpipp.symbolizer.process_symbols import StackFrame

_MOST = 64  # frames
_WORD = 8

Read = Callable[[int, int], bytes]  # arguments: address, bytes; raises MpippError


class Code(Protocol):
    """The code of a process."""

    def caller(self, address: int) -> Rule | None:
        """Return the rule to find the caller of the function at an address; None if unknown."""

    def is_main(self, address: int) -> bool:
        """Return whether an address is in the main function of the program."""


class Registers(NamedTuple):
    """The registers of a function: instruction, end of the stack, and frame pointer."""

    pc: int
    sp: int
    bp: int


def in_call(read: Read, frame: int) -> Registers:
    """Return the registers of a function that is in a call.

    Args:
        frame: frame address of the called function.

    Raises MpippError if the stack is unreadable.
    """
    return Registers(_word(read, frame + _WORD), frame + 2 * _WORD, _word(read, frame))


def frames(
    places: Code, read: Read, start: Registers, is_call: bool = True
) -> Iterator[StackFrame]:
    """Yield the stack frames of a function and its callers, innermost first, up to main.

    Ends early if the stack cannot be followed, because mpipp does not guess functions. If the stack
    cannot be followed further, the last frame's end is 0.

    Args:
        is_call: whether the function is in a call; otherwise it is at the instruction itself.
    """
    at = start
    for _ in range(_MOST):
        # If the first frame is not in a call, its line is that of the instruction itself.
        continues, code = at.pc + (not is_call), at.pc - is_call
        rule = places.caller(code)
        after = _caller(rule, read, at) if rule is not None else None
        if after is None or after.sp <= at.sp:
            yield StackFrame(continues, 0)
            return
        yield StackFrame(continues, after.sp)
        if rule is None or rule.is_first or places.is_main(code) or not after.pc:
            return
        at, is_call = after, True


def return_addresses(
    places: Code, read: Read, start: Registers, is_call: bool = True
) -> Iterator[int]:
    """Yield the address at which each function on the stack continues."""
    return (frame.code for frame in frames(places, read, start, is_call))


def _caller(rule: Rule, read: Read, at: Registers) -> Registers | None:
    # The registers of the caller; None if the stack is unreadable.
    try:
        return _registers(rule, read, at)
    except MpippError:
        return None


def _registers(rule: Rule, read: Read, at: Registers) -> Registers:
    end = (at.bp if rule.register == RBP else at.sp) + rule.distance
    if rule.is_stored:
        end = _word(read, end)
    bp = at.bp
    if rule.saved is not None:
        bp = _word(read, at.bp if rule.saved == AT_RBP else end + rule.saved)
    return Registers(_word(read, end - _WORD), end, bp)


def _word(read: Read, address: int) -> int:
    return int.from_bytes(read(address, _WORD), "little")
