# SPDX-License-Identifier: MIT
"""The memory of one of gdb's inferiors, live or from a core file."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from mpipp.common.errors import UnreadableMemory
from mpipp.gdb import console, output
from mpipp.gdb.program import abandoned_frames
from mpipp.registry.memory import core_files
from mpipp.registry.memory.core_files import CoreFile

_ADDRESS_SPACE = 1 << 64
# gdb allocates what it is asked to read before it reads, and ends itself when it cannot.
_LONGEST_READ = 1 << 28

_CORE = re.compile(r"(?i:core) dump file:\s+`([^\n]*)',")


class InferiorMemory:
    """Reads memory as gdb sees it."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior
        self.byte_order = "="  # of values; the registry says it

    def read(self, address: int, length: int) -> bytes:
        """Exactly `length` bytes at `address`. Raises UnreadableMemory."""
        if not (0 <= address <= address + length <= _ADDRESS_SPACE) or length > _LONGEST_READ:
            raise UnreadableMemory(address, length)
        if length == 0:
            return b""
        try:
            with selected(self._inferior):
                return bytes(self._inferior.read_memory(address, length))
        except gdb.error:  # gdb.MemoryError is one
            raise UnreadableMemory(address, length) from None


@contextmanager
def selected(inferior: gdb.Inferior) -> Iterator[None]:
    """Make `inferior` the selected one for a while: gdb 13 reads no other's memory."""
    before = gdb.selected_inferior()
    if before.num == inferior.num:
        yield
        return
    thread = gdb.selected_thread()
    frame = abandoned_frames.selected_frame()
    _select(inferior)
    try:
        yield
    finally:
        if thread is not None and thread.is_valid():
            thread.switch()
        else:
            _select(before)
        if frame is not None and frame.is_valid():
            frame.select()


# One thread of each inferior, by its number, stopped if any is. gdb visits every inferior to list
# the threads of one: 20 ms for 300 core files.
_threads: dict[int, gdb.InferiorThread] = {}


def _select(inferior: gdb.Inferior) -> None:
    thread = _threads.get(inferior.num)
    if thread is None or not thread.is_valid() or not thread.is_stopped():
        every = inferior.threads()
        thread = next((one for one in every if one.is_stopped()), next(iter(every), None))
    if thread is None:  # one that has exited: only a command selects it
        with output.quiet():
            console.output("inferior {}", inferior.num)
        return
    _threads[inferior.num] = thread
    thread.switch()


def is_core() -> bool:
    """Return whether the selected inferior is a core file."""
    inferior = gdb.selected_inferior()
    if not hasattr(inferior, "connection"):  # gdb 10
        return _CORE.search(console.output("info files")) is not None
    return inferior.connection is not None and bool(inferior.connection.type == "core")


def core_file() -> CoreFile | None:
    """The selected inferior's core file; None if it has none, or not of a 64-bit process."""
    if not is_core():
        return None
    named = _CORE.search(console.output("info files"))
    if named is None:
        return None
    try:
        status = os.stat(named[1])
    except OSError:
        return None
    return _read(named[1], status.st_size, status.st_mtime_ns)


@functools.lru_cache
def _read(path: str, _size: int, _time: int) -> CoreFile | None:
    return core_files.read(path)
