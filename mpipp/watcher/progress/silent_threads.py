# SPDX-License-Identifier: MIT
"""Threads of a process that have not called MPI, and whether they could call it."""

from __future__ import annotations

import os
import struct
from typing import Protocol

from mpipp.common.errors import MpippError
from mpipp.model import Thread
from mpipp.registry.registry import Registry
from mpipp.symbolizer import library_threads
from mpipp.symbolizer.process_symbols import Places

# Offsets in struct pthread of glibc on x86-64: its own address, which it contains twice, and the
# thread id. One of the later members is the thread's start function.
_SELF, _TID, _FUNCTIONS, _END = 0x10, 0x2D0, 0x600, 0x700
_MOST = 1 << 20  # bytes of a stack, from the thread's current position
_WORD = struct.Struct("<Q")


class LiveProcess(Protocol):
    """A process on this machine, with its records and its files."""

    pid: int
    registry: Registry
    places: Places

    def beside(self, address: int, most: int) -> bytes:
        """Return up to `most` bytes of its memory. Raises MpippError if the system forbids it."""
        ...


def may_call(one: LiveProcess) -> bool:
    """Return whether a thread that has not called MPI may call it later.

    Any thread may, unless it is known to belong to a library.
    """
    try:
        tids = {int(name) for name in os.listdir(f"/proc/{one.pid}/task")}
    except OSError:
        return True
    known = {t.tid for t in one.registry.threads() if isinstance(t, Thread)}
    return not all(_is_of_library(one, tid) for tid in tids - known)


def _is_of_library(one: LiveProcess, tid: int) -> bool:
    try:
        stack = _stack(one, tid)
    except (OSError, ValueError, IndexError, MpippError):
        return False
    words = [word for (word,) in _WORD.iter_unpack(stack[_FUNCTIONS:_END])]
    files = [file for file in map(one.places.file, words) if file]
    return bool(files) and library_threads.keeps_out(files[0])


def _stack(one: LiveProcess, tid: int) -> bytes:
    # The bytes of the thread's struct pthread; b"" if it is not found.
    with open(f"/proc/{one.pid}/task/{tid}/syscall", encoding="ascii") as file:
        pointer = int(file.read().split()[-2], 16) & -8
    data = one.beside(pointer, _MOST)
    for at in range(0, len(data) - _END, 8):
        if _WORD.unpack_from(data, at)[0] != pointer + at:
            continue
        is_self = _WORD.unpack_from(data, at + _SELF)[0] == pointer + at
        if is_self and int.from_bytes(data[at + _TID : at + _TID + 4], "little") == tid:
            return data[at:]
    return b""
