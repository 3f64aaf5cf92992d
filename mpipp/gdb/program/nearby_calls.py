# SPDX-License-Identifier: MIT
"""The completed MPI call at the selected frame: in its line, or in the statement before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import gdb

from mpipp.gdb.program import abandoned_frames, symbol_names
from mpipp.model import Call

_JUMP = re.compile(r"(?:jmpq?|b)\s+(0x[0-9a-f]+)\b")
_FOLLOWED = 16  # instructions between the call and the frame


class Nearby(NamedTuple):
    """A completed call, and whether the program is about to make it again."""

    call: Call
    again: bool


def find(calls: Sequence[Call]) -> Nearby | None:
    """Find the completed call that the selected frame is at, among a thread's calls, latest first.

    The result is the latest call if the frame is behind it in its line, or at the next statement.
    If the frame is at the beginning of a line, it is the latest call of that line.
    """
    frame = abandoned_frames.selected_frame()
    here = _position(frame) if frame is not None else None
    if frame is None or here is None or not calls:
        return None
    if _is_behind(frame, here, calls[0].site.address):
        return Nearby(calls[0], again=False)
    for call in calls:
        place = call.site.address
        if here.start < place <= here.end and frame.pc() < place and _line(place) == here.line:
            return Nearby(call, again=True)
    return None


class _Line(NamedTuple):
    path: str
    number: int


class _Position(NamedTuple):
    # The frame's line, its first instruction, and the address range of its function.
    line: _Line
    pc: int
    start: int
    end: int
    table: gdb.Symtab


def _position(frame: gdb.Frame) -> _Position | None:
    found = frame.find_sal()
    function = _function(frame.pc() - (frame.newer() is not None))
    if found.symtab is None or not found.line or function is None:
        return None
    line = _Line(symbol_names.path(found.symtab), found.line)
    return _Position(line, found.pc, function.start, function.end, found.symtab)


def _line_at(pc: int) -> _Line | None:
    found = gdb.find_pc_line(pc)
    return _Line(symbol_names.path(found.symtab), found.line) if found.symtab is not None else None


def _line(place: int) -> _Line | None:
    # The instruction after a call may belong to the next line.
    return _line_at(place - 1)


def _is_behind(frame: gdb.Frame, here: _Position, place: int) -> bool:
    if not here.start < place <= here.end:
        return False
    line = _line(place)
    if line == here.line:
        return bool(frame.pc() >= place)
    if line is None or line.path != here.line.path:
        return False
    return line.number == _statement_before(here) or _leads_to(frame, place, here)


def _function(pc: int) -> gdb.Block | None:
    try:
        block = gdb.block_for_pc(pc)
    except (gdb.error, RuntimeError):
        return None
    while block is not None and (block.function is None or _is_inlined(block)):
        block = block.superblock
    return block


def _is_inlined(block: gdb.Block) -> bool:
    return block.superblock is not None and block.superblock.function is not None


def _statement_before(here: _Position) -> int:
    # The line of the last statement before this line in the function; 0 if there is none.
    lines = (
        entry.line
        for entry in here.table.linetable()
        if 0 < entry.line < here.line.number and here.start <= entry.pc < here.end
    )
    return max(lines, default=0)


def _leads_to(frame: gdb.Frame, place: int, here: _Position) -> bool:
    # Return whether only unconditional jumps lie between the call and a line. An example is the
    # line after an if-clause, or after a call whose arguments take several lines.
    address, line, architecture = place, _line(place), frame.architecture()
    for _ in range(_FOLLOWED):
        if address == here.pc:
            return True
        if _line_at(address) != line:
            return False
        (instruction,) = architecture.disassemble(address, count=1)
        jump = _JUMP.match(instruction["asm"])
        address = int(jump[1], 16) if jump else address + instruction["length"]
    return False
