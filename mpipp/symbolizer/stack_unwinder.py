# SPDX-License-Identifier: MIT
"""The callers of a function in a process that nobody traces, from its memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.symbolizer.frame_table import AT_RBP, RBP, Rule
from mpipp.symbolizer.process_symbols import Places, StackFrame

_MOST = 64  # frames
_WORD = 8

Read = Callable[[int, int], bytes]  # address, bytes; raises MpippError


class Registers(NamedTuple):
    """The state of a function: an instruction, the stack's end, and the frame pointer."""

    pc: int
    sp: int
    bp: int


def in_call(read: Read, frame: int) -> Registers:
    """The registers of a function that is in a call, by the frame address of the one it called.

    Raises MpippError where the stack cannot be read.
    """
    return Registers(_word(read, frame + _WORD), frame + 2 * _WORD, _word(read, frame))


def frames(
    places: Places, read: Read, start: Registers, is_call: bool = True
) -> Iterator[StackFrame]:
    """The frames of a function and its callers, innermost first, up to main.

    Ends early where the stack cannot be followed: no name of a function is guessed. Then the last
    frame's end is 0.

    Args:
        is_call: True if the function is in a call; else it is just before that instruction.
    """
    at = start
    for _ in range(_MOST):
        # Where no call returns to, lines are looked up at the instruction itself.
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
    places: Places, read: Read, start: Registers, is_call: bool = True
) -> Iterator[int]:
    """The addresses at which these functions continue."""
    return (frame.code for frame in frames(places, read, start, is_call))


def _caller(rule: Rule, read: Read, at: Registers) -> Registers | None:
    # None if the stack cannot be read.
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
