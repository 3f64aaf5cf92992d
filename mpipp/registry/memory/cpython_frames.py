# SPDX-License-Identifier: MIT
"""The Python line that a thread executes, read from CPython's structures without debug symbols.

The members of these structures have fixed offsets in each release (3.9 to 3.13, 64 bits). mpipp
trusts none of their values: impossible values give no line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from mpipp.common.errors import UnreadableMemory
from mpipp.registry.memory.address_space import Memory

_MOST = 10_000  # limit of threads, frames, and pieces of their tables
_PIECE = 256  # bytes of a piece of a table
_LONGEST = 4096  # characters of a name; a table may have 64 times as many bytes
_TYPE, _TYPE_NAME = 8, 24  # offsets in an object, and in a type
_LENGTH, _STATE = 16, 32  # offsets in a string
_SIZE, _BYTES = 16, 32  # offsets in a bytes object


class Place(NamedTuple):
    """A line of Python: file, line number, function."""

    file: str
    line: int
    function: str


class _Layout(NamedTuple):
    # Offsets of members. `holder` is the offset of the frame's address in a structure between
    # thread and frame, or -1 if there is none.
    head: int
    next_interpreter: int
    threads: int
    native_id: int
    frame: int
    holder: int
    code: int
    previous: int
    instruction: int
    first_line: int
    instructions: int
    text: int  # offset of the characters in an ASCII string
    file: int = 112  # offset in a code object, also the next two
    function: int = 120
    lines: int = 136
    # Bytes of code for each unit of the instruction's number; 0: `instruction` holds an address.
    step: int = 0


# A thread's id in these releases is its pthread_self.
_UNTIL_10 = _Layout(
    head=32,
    next_interpreter=0,
    threads=8,
    native_id=176,
    frame=24,
    holder=-1,
    code=32,
    previous=24,
    instruction=104,
    first_line=40,
    instructions=0,
    text=48,
    file=104,
    function=112,
    lines=120,
    step=1,
)

_LAYOUTS = {
    9: _UNTIL_10,
    10: _UNTIL_10._replace(instruction=96, step=2),
    11: _Layout(40, 0, 16, 160, 56, 8, 32, 48, 56, 72, 184, 48),
    12: _Layout(40, 0, 72, 144, 56, 0, 0, 8, 56, 68, 192, 40),
    13: _Layout(632, 7264, 7344, 160, 72, -1, 0, 8, 56, 68, 200, 40),
}
_NEXT_THREAD = 8
_COOKIE = b"xdebugpy"
_TOLD = {"head": 40, "next_interpreter": 64, "threads": 72, "frame": 184, "native_id": 200}
_NO_LINE = 128  # in the table of 3.10, -128: no line
_PARTS = "/mpi4py/"  # mpi4py's modules are skipped: users want the line that called them


def at(memory: Memory, runtime: int, version: int, tid: int, thread: int = 0) -> Place | None:
    """Return the innermost line of the program that a thread executes; None if it is unknown.

    Args:
        runtime: address of `_PyRuntime`.
        version: `Py_Version`, or its equivalent before 3.11.
        tid: the thread's number from gettid.
        thread: the thread's number from pthread_self.
    """
    return next(stack(memory, runtime, version, tid, thread), None)


def stack(memory: Memory, runtime: int, version: int, tid: int, thread: int = 0) -> Iterator[Place]:
    """Yield the program's lines that a thread executes, innermost first, as far as they are
    known."""
    layout = _LAYOUTS.get(version >> 16 & 0xFF) if version >> 24 == 3 else None
    if layout is None:
        return
    with suppress(UnreadableMemory):
        places = _Reader(memory, layout).places(runtime, thread if layout.step else tid)
        yield from (place for place in places if _PARTS not in place.file)


def of(memory: Memory, frame: int, version: int) -> Place | None:
    """Return the line of the frame at an address; None if it is unknown."""
    layout = _LAYOUTS.get(version >> 16 & 0xFF) if version >> 24 == 3 else None
    return None if layout is None else _Reader(memory, layout).place(frame)


class _Reader:
    def __init__(self, memory: Memory, layout: _Layout) -> None:
        self._memory = memory
        self._layout = layout
        self._left = _MOST

    def places(self, runtime: int, thread_id: int) -> Iterator[Place]:
        """Yield the lines of a thread, innermost first."""
        layout = self._layout
        # since 3.13, `_PyRuntime` itself has the offsets of some members
        if self._memory.read(runtime, 8) == _COOKIE:
            known = {name: self._number(runtime + offset) for name, offset in _TOLD.items()}
            layout = self._layout = layout._replace(**known)
        for interpreter in self._chain(
            self._number(runtime + layout.head), layout.next_interpreter
        ):
            for thread in self._chain(self._number(interpreter + layout.threads), _NEXT_THREAD):
                if self._number(thread + layout.native_id) == thread_id:
                    frame = self._number(thread + layout.frame)
                    if layout.holder >= 0:
                        frame = self._number(frame + layout.holder)
                    for each in self._chain(frame, layout.previous):
                        place = self.place(each)
                        if place is not None:
                            yield place
                    return

    def _chain(self, address: int, following: int) -> Iterator[int]:
        while address and self._left:
            self._left -= 1
            yield address
            address = self._number(address + following)

    def place(self, frame: int) -> Place | None:
        """Return the line of a frame; None if the frame belongs to C code."""
        layout = self._layout
        code = self._number(frame + layout.code)
        if not code or self._type(code) != b"code":
            return None
        if layout.step:
            last = self._number(frame + layout.instruction, 4)
            offset = ((last ^ 1 << 31) - (1 << 31)) * layout.step  # -1 before the first instruction
        else:
            offset = self._number(frame + layout.instruction) - (code + layout.instructions)
        file = self._text(self._number(code + layout.file))
        function = self._text(self._number(code + layout.function))
        line = self._line(code, offset)
        return Place(file, line, function) if file and line > 0 else None

    def _line(self, code: int, offset: int) -> int:
        # Returns the line of the instruction at an offset in bytes (PEP 626, Objects/locations.md
        # of CPython). If the frame made a call, the offset is that of the call; in 3.13 it is
        # behind the call.
        table = self._number(code + self._layout.lines)
        size = self._number(table + _SIZE)
        if not 0 < size <= _LONGEST * 64 or self._type(table) != b"bytes":
            return 0
        self._left = max(0, self._left - size // _PIECE)
        data = self._memory.read(table + _BYTES, size)
        line = self._number(code + self._layout.first_line, 4)
        if self._layout.step:
            return (_line_in_10 if self._layout.step == 2 else _line_in_9)(data, line, offset)
        position, at, known = 0, 0, 0
        while position < size and at <= offset:
            kind, length = data[position] >> 3 & 15, 2 * ((data[position] & 7) + 1)
            if kind in (13, 14):
                line += _signed(data, position + 1)
            elif 10 <= kind <= 12:
                line += kind - 10
            known = 0 if kind == 15 else line
            at += length
            position += 1
            while position < size and not data[position] & 0x80:
                position += 1
        return known

    def _type(self, address: int) -> bytes:
        name = self._number(self._number(address + _TYPE) + _TYPE_NAME)
        return self._memory.read(name, 8).split(b"\0")[0]

    def _text(self, address: int) -> str:
        if self._type(address) != b"str":
            return ""
        length, state = self._number(address + _LENGTH), self._number(address + _STATE, 4)
        width, ascii_only = state >> 2 & 7, state >> 6 & 1
        if not 0 < length <= _LONGEST or width not in (1, 2, 4):
            return ""
        start = self._layout.text + (0 if ascii_only else 24 if self._layout.text == 48 else 16)
        encoding = {1: "latin-1", 2: "utf-16", 4: "utf-32"}[width]
        if width > 1:
            encoding += "-le" if sys.byteorder == "little" else "-be"
        return self._memory.read(address + start, length * width).decode(encoding, "replace")

    def _number(self, address: int, size: int = 8) -> int:
        # The debugger's byte order is the program's: both run on the same machine.
        return int.from_bytes(self._memory.read(address, size), sys.byteorder)


def _line_in_9(data: bytes, line: int, offset: int) -> int:
    # The table has pairs of steps: bytes of code, lines (Objects/lnotab_notes.txt of CPython).
    at = 0
    for step, lines in zip(data[::2], data[1::2]):
        at += step
        if at > offset:
            break
        line += (lines ^ 128) - 128
    return line


def _line_in_10(data: bytes, line: int, offset: int) -> int:
    # Pairs as in 3.9, but the lines belong to the code after the step.
    at, known = 0, line
    for step, lines in zip(data[::2], data[1::2]):
        line += 0 if lines == _NO_LINE else (lines ^ 128) - 128
        known = 0 if lines == _NO_LINE else line
        at += step
        if at > offset:
            break
    return known


def _signed(data: bytes, position: int) -> int:
    # Each byte has six bits of the number, the lowest first. The lowest bit of all is the sign.
    value = shift = 0
    while position < len(data):
        value |= (data[position] & 63) << shift
        shift += 6
        if not data[position] & 64:
            break
        position += 1
    return -(value >> 1) if value & 1 else value >> 1
