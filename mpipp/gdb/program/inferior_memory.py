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
from mpipp.gdb.selected_thread import selected_thread
from mpipp.registry.memory import core_files
from mpipp.registry.memory.core_files import CoreFile

_ADDRESS_SPACE = 1 << 64
# bytes: gdb allocates memory before it reads, and ends if it cannot
_LONGEST_READ = 1 << 28

_CORE = re.compile(r"(?i:core) dump file:\s+`([^\n]*)',")


class InferiorMemory:
    """The memory of an inferior, as gdb reads it."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior
        self.byte_order = "="  # the byte order of values, which the registry sets

    def read(self, address: int, length: int) -> bytes:
        """Exactly `length` bytes at `address`. Raises UnreadableMemory."""
        if not (0 <= address <= address + length <= _ADDRESS_SPACE) or length > _LONGEST_READ:
            raise UnreadableMemory(address, length)
        if length == 0:
            return b""
        try:
            with selected(self._inferior):
                return bytes(self._inferior.read_memory(address, length))
        except gdb.error:  # also gdb.MemoryError
            raise UnreadableMemory(address, length) from None


@contextmanager
def selected(inferior: gdb.Inferior) -> Iterator[None]:
    """Select `inferior` within this context: gdb 13 reads only the selected inferior's memory."""
    before = gdb.selected_inferior()
    if before.num == inferior.num:
        yield
        return
    thread = selected_thread()
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


# One thread of each inferior by number, a stopped one if possible. To list the threads of one
# inferior gdb visits all of them: 20 ms for 300 core files.
_threads: dict[int, gdb.InferiorThread] = {}


def _select(inferior: gdb.Inferior) -> None:
    thread = _threads.get(inferior.num)
    if thread is None or not thread.is_valid() or not thread.is_stopped():
        every = inferior.threads()
        thread = next((one for one in every if one.is_stopped()), next(iter(every), None))
    if thread is None:  # the cached thread has exited: only a command can select the inferior
        with output.quiet():
            console.output("inferior {}", inferior.num)
        return
    _threads[inferior.num] = thread
    thread.switch()


def is_core() -> bool:
    """Return whether the selected inferior is a core file."""
    inferior = gdb.selected_inferior()
    if not hasattr(inferior, "connection"):  # gdb 10 lacks this attribute
        return _CORE.search(console.output("info files")) is not None
    return inferior.connection is not None and bool(inferior.connection.type == "core")


def core_file() -> CoreFile | None:
    """The core file of the selected inferior; None if it has none, or if the process is
    not 64-bit."""
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
