# SPDX-License-Identifier: MIT
"""The memory of one of gdb's inferiors, live or from a core file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import gdb

from mpipp.errors import UnreadableMemory

_ADDRESS_SPACE = 1 << 64
# gdb allocates what it is asked to read before it reads, and ends itself when it cannot.
_LONGEST_READ = 1 << 28

_CORE_SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - (0x[0-9a-f]+) is load\d+\w*$", re.MULTILINE)


class InferiorMemory:
    """Reads memory as gdb sees it."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self._inferior = inferior

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

    def search(self, pattern: bytes) -> Iterator[int]:
        """Every address of `pattern` in the writable memory that a core file holds."""
        for start, end in core_sections():
            while start < end:
                with selected(self._inferior):
                    found = self._inferior.search_memory(start, end - start, pattern)
                if found is None:
                    break
                yield found
                start = found + 1


@contextmanager
def selected(inferior: gdb.Inferior) -> Iterator[None]:
    """Make `inferior` the selected one for a while: gdb 13 reads no other's memory."""
    before = gdb.selected_inferior()
    if before.num == inferior.num:
        yield
        return
    thread = gdb.selected_thread()
    frame = gdb.selected_frame() if thread is not None else None
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


def _select(inferior: gdb.Inferior) -> None:
    # The command tells the user, so it is only for what has no threads.
    threads = inferior.threads()
    if threads:
        threads[0].switch()
    else:
        gdb.execute(f"inferior {inferior.num}", to_string=True)


def core_sections() -> list[tuple[int, int]]:
    """The (start, end) addresses of the selected inferior's core file; none if it has none."""
    return [
        (int(start, 16), int(end, 16))
        for start, end in _CORE_SECTION.findall(gdb.execute("info files", to_string=True))
    ]
