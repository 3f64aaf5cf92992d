# SPDX-License-Identifier: MIT
"""The call frame information of an ELF file for x86-64: it leads from one stack frame to its
caller's.

This information is in .eh_frame, and .eh_frame_hdr finds the entry of an address (Linux Standard
Base, 10.6; DWARF 5, section 6.4). This module reads only the rules that compilers write for
functions. The canonical frame address (CFA) must be at a distance from %rsp or %rbp, or be stored
there.
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

RBP, RSP, _RETURN = 6, 7, 16  # register numbers in DWARF
AT_RBP = 0  # in place of a distance from the CFA: %rbp points to its saved value
_RELATIVE = 0x1B  # DW_EH_PE code of an address: a signed offset of 4 bytes from its own position
_TABLE = 0x3B  # DW_EH_PE code of a signed offset from the beginning of .eh_frame_hdr
_BREG, _DEREF = 0x70, 0x06  # operations in expressions
_MOST_ENTRY = 1 << 16  # bytes of an entry


class Rule(NamedTuple):
    """The rule for an instruction of a function: how to find the caller's frame.

    Attributes:
        register: RBP or RSP.
        distance: the CFA is `distance` bytes from the register.
        is_stored: whether the CFA is stored there instead.
        saved: the distance from the CFA at which the caller's %rbp is stored, or AT_RBP; None: %rbp
            is unchanged.
        is_first: whether there is no caller.
    """

    register: int
    distance: int
    is_stored: bool = False
    saved: int | None = None
    is_first: bool = False


class Section(NamedTuple):
    """A section of a file: its bytes and their address."""

    data: bytes
    address: int


_NONE = Section(b"", 0)


def of_elf(elf: Any) -> FrameTable:
    """The call frame information of a file that pyelftools has opened, with the file's own
    addresses.

    Raises ValueError, IndexError or struct.error for a damaged file.
    """
    header, frames = map(elf.get_section_by_name, (".eh_frame_hdr", ".eh_frame"))
    if elf["e_machine"] != "EM_X86_64" or header is None or frames is None:
        return FrameTable(_NONE, _NONE)
    own = (Section(one.data(), one["sh_addr"]) for one in (header, frames))
    return FrameTable(*own)


class FrameTable:
    """The call frame information of one file.

    Args:
        header: the section .eh_frame_hdr. Empty: no rule is known.
        frames: the section .eh_frame.

    Raises ValueError, IndexError or struct.error for damaged sections.
    """

    def __init__(self, header: Section, frames: Section) -> None:
        self._starts: list[int] = []
        self._entries: list[int] = []
        self._data, self._address = frames
        if header.data:
            self._read_header(*header)

    def _read_header(self, data: bytes, address: int) -> None:
        version, _, count_encoding, table = data[:4]
        if (version, count_encoding, table) != (1, 0x03, _TABLE):
            return
        (count,) = struct.unpack_from("<I", data, 8)
        for start, entry in struct.iter_unpack("<ii", data[12 : 12 + 8 * count]):
            self._starts.append(address + start)
            self._entries.append(address + entry)

    def rule(self, address: int) -> Rule | None:
        """Return the rule for an instruction; None if it is unknown."""
        position = bisect.bisect_right(self._starts, address) - 1
        if position < 0:
            return None
        at = self._entries[position] - self._address
        body, begin = self._entry(at)
        (distance,) = struct.unpack_from("<I", self._data, begin - 4)
        common, _ = self._entry(begin - 4 - distance)
        known = _common(common)
        if known is None or len(body) < 8:
            return None
        code, data, instructions = known
        start, size = struct.unpack_from("<iI", body)
        start += self._address + begin
        if not start <= address < start + size:
            return None
        rest = _Bytes(body, 8)
        rest.take(rest.uleb())  # skip the augmentation data
        state = _State(code, data)
        state.run(_Bytes(common, instructions), None)
        state.initial = dict(state.saved)
        state.run(rest, address - start)
        return state.rule()

    def _entry(self, at: int) -> tuple[bytes, int]:
        # The bytes of an entry after its identifier, and their position.
        if not 0 <= at <= len(self._data) - 8:
            raise ValueError("call frame information is damaged")
        (size,) = struct.unpack_from("<I", self._data, at)
        if not 4 < size < _MOST_ENTRY:
            raise ValueError("call frame information is damaged")
        return self._data[at + 8 : at + 4 + size], at + 8


class _Bytes:
    # Reads values one after the other, from a position on.
    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data, self.position = data, at

    def __bool__(self) -> bool:
        return self.position < len(self._data)

    def byte(self) -> int:
        self.position += 1
        return self._data[self.position - 1]

    def take(self, count: int) -> bytes:
        self.position += count
        return self._data[self.position - count : self.position]

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "little")

    def uleb(self) -> int:
        return sum(part << shift for part, shift in self._parts())

    def sleb(self) -> int:
        parts = list(self._parts())
        value = sum(part << shift for part, shift in parts)
        last, shift = parts[-1]
        return value - (1 << shift + 7) if last & 0x40 else value

    def _parts(self) -> Iterator[tuple[int, int]]:
        for shift in range(0, 70, 7):
            byte = self.byte()
            yield byte & 0x7F, shift
            if byte < 0x80:
                return


def _common(body: bytes) -> tuple[int, int, int] | None:
    # Returns the factors of code and data in a CIE, and the beginning of its instructions. None if
    # the CIE is for the frame of a signal handler, or has another encoding.
    end = body.index(0, 1)
    augmentation = body[1:end]
    rest = _Bytes(body, end + 1)
    code, data, returns = rest.uleb(), rest.sleb(), rest.uleb()
    if body[0] not in (1, 3) or returns != _RETURN or not augmentation.startswith(b"z"):
        return None
    size = rest.uleb()
    begin = rest.position
    for letter in augmentation[1:]:
        if letter == ord("R"):
            if rest.byte() != _RELATIVE:
                return None
        elif letter == ord("P"):
            encoding = rest.byte()
            rest.take({0x0: 8, 0x3: 4, 0x4: 8, 0xB: 4, 0xC: 8}[encoding & 0xF])
        elif letter == ord("L"):
            rest.byte()
        else:
            return None
    return code, data, begin + size


class _State:
    # The effect of the instructions up to now.
    def __init__(self, code: int, data: int) -> None:
        self._code, self._data = code, data
        self._register, self._distance = -1, 0
        self._is_stored = False
        self.saved: dict[int, int | None] = {}  # distance from the CFA; None: unknown
        self.initial: dict[int, int | None] = {}
        self._kept: list[tuple[int, int, bool, dict[int, int | None]]] = []

    def rule(self) -> Rule | None:
        if self._register not in (RBP, RSP):
            return None
        is_first = self.saved.get(_RETURN, -8) is None
        if not is_first and self.saved.get(_RETURN) != -8:
            return None
        saved = self.saved.get(RBP)
        if RBP in self.saved and saved is None:
            return None
        return Rule(self._register, self._distance, self._is_stored, saved, is_first)

    def run(self, code: _Bytes, until: int | None) -> None:
        """Execute instructions up to the place `until`, in bytes from the function's beginning."""
        place = 0
        while code:
            byte = code.byte()
            kind, low = byte & 0xC0, byte & 0x3F
            if kind == 0x40:
                place += low * self._code
            elif kind == 0x80:
                self._save(low, code.uleb() * self._data)
            elif kind == 0xC0:
                self._restore(low)
            elif low in (2, 3, 4):
                place += code.number(1 << low - 2) * self._code
            else:
                self._run_other_rule(low, code)
            if until is not None and place > until:
                return

    def _save(self, register: int, at: int | None) -> None:
        if register in (RBP, _RETURN):  # only these registers are needed
            self.saved[register] = at

    def _restore(self, register: int) -> None:
        if register in self.initial:
            self.saved[register] = self.initial[register]
        else:
            self.saved.pop(register, None)

    def _run_other_rule(self, kind: int, code: _Bytes) -> None:
        if kind == 0x0C:
            self._define(code.uleb(), code.uleb())
        elif kind == 0x12:
            self._define(code.uleb(), code.sleb() * self._data)
        elif kind == 0x0D:
            self._define(code.uleb(), self._distance)
        elif kind == 0x0E:
            self._define(self._register, code.uleb())
        elif kind == 0x13:
            self._define(self._register, code.sleb() * self._data)
        elif kind == 0x0F:
            self._expression(_Bytes(code.take(code.uleb())))
        elif kind == 0x0A:
            kept = self._register, self._distance, self._is_stored, dict(self.saved)
            self._kept.append(kept)
        elif kind == 0x0B:
            self._register, self._distance, self._is_stored, self.saved = self._kept.pop()
        else:
            self._saves(kind, code)

    def _saves(self, kind: int, code: _Bytes) -> None:
        # Executes an instruction that defines how a register is saved.
        if kind in (0x00, 0x2E):
            code.take(0) if not kind else code.uleb()
            return
        register = code.uleb()
        if kind == 0x05:
            self._save(register, code.uleb() * self._data)
        elif kind == 0x11:
            self._save(register, code.sleb() * self._data)
        elif kind == 0x06:
            self._restore(register)
        elif kind == 0x08:
            self.saved.pop(register, None)
        elif kind == 0x07:
            self._save(register, None)
        elif kind == 0x10:  # if the stack is realigned, %rbp is stored at a distance from itself
            inside = _Bytes(code.take(code.uleb()))
            is_own = register == RBP and inside.byte() == _BREG + RBP
            self._save(register, AT_RBP if is_own and inside.sleb() == 0 else None)
        elif kind in (0x09, 0x16):
            self._save(register, None)
            code.uleb() if kind == 0x09 else code.take(code.uleb())
        else:
            raise ValueError("call frame information is damaged")

    def _define(self, register: int, distance: int) -> None:
        self._register, self._distance, self._is_stored = register, distance, False

    def _expression(self, code: _Bytes) -> None:
        # Reads an expression. The CFA must be stored at a distance from a register.
        self._register = code.byte() - _BREG
        self._distance = code.sleb() if self._register in (RBP, RSP) else 0
        self._is_stored = bool(code) and code.byte() == _DEREF
        if code or not self._is_stored:
            self._register = -1
