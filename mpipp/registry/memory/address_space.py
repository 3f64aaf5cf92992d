# SPDX-License-Identifier: MIT
"""The target's memory: of a running process, of a test, and a cache of pages over either.

A debugger's front end has its own `Memory`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Protocol

from mpipp.common.errors import MpippError, UnreadableMemory

_PAGE = 4096  # memory is mapped in pages, so a page is readable as a whole or not at all
_CACHED_PAGES = 16384
_LARGE = 1 << 20  # reads of more bytes bypass the cache
_LONGEST = 1 << 28  # bytes of a read; no record is longer
_SEARCH_STEP = 1 << 20
_ADDRESS_SPACE = 1 << 64


class Memory(Protocol):
    """The memory of a process, live or post mortem."""

    def read(self, address: int, length: int) -> bytes:
        """Return exactly `length` bytes. Raises UnreadableMemory if any of them cannot be read."""
        ...


class BytesMemory:
    """Memory made of pieces: address -> bytes. A read must stay in one piece."""

    def __init__(self, pieces: Mapping[int, bytes | bytearray]) -> None:
        self._pieces = pieces

    def read(self, address: int, length: int) -> bytes:
        for start, piece in self._pieces.items():
            if start <= address and address + length <= start + len(piece):
                return bytes(piece[address - start : address - start + length])
        raise UnreadableMemory(address, length)


class ProcessMemory:
    """The memory of a running process on this machine, by process id."""

    def __init__(self, pid: int) -> None:
        """Raises MpippError if there is no such process, or if this user must not read it."""
        self.pid = pid
        try:
            self._file = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise MpippError(f"there is no process {pid}") from None
        except OSError as error:
            raise MpippError(
                f"cannot read the memory of process {pid} ({error.strerror}): "
                "run as the same user, and see kernel.yama.ptrace_scope"
            ) from None

    def close(self) -> None:
        """Close the process's memory file; no reads are possible afterwards."""
        os.close(self._file)

    def read(self, address: int, length: int) -> bytes:
        try:
            data = os.pread(self._file, length, address)
        except (OSError, OverflowError, ValueError):
            raise UnreadableMemory(address, length) from None
        if len(data) != length:
            raise UnreadableMemory(address, length)
        return data

    def beginning(self, address: int, most: int) -> bytes:
        """Return at most `most` bytes, up to the first unreadable byte."""
        try:
            return os.pread(self._file, most, address)
        except (OSError, OverflowError, ValueError):
            raise UnreadableMemory(address, most) from None

    def search(self, pattern: bytes) -> Iterator[int]:
        """Yield every address of `pattern` in the process's writable memory."""
        for start, end in self._writable():
            yield from self._search(pattern, start, end)

    def _writable(self) -> list[tuple[int, int]]:
        ranges = []
        with open(f"/proc/{self.pid}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                span, mode = line.split(None, 2)[:2]
                if mode.startswith("rw"):
                    start, end = span.split("-")
                    ranges.append((int(start, 16), int(end, 16)))
        return ranges

    def _search(self, pattern: bytes, start: int, end: int) -> Iterator[int]:
        overlap = len(pattern) - 1
        for position in range(start, end, _SEARCH_STEP):
            try:
                # The mapping may have become shorter since it was listed.
                data = self.beginning(position, min(_SEARCH_STEP + overlap, end - position))
            except UnreadableMemory:
                continue
            found = data.find(pattern)
            while found >= 0:
                yield position + found
                found = data.find(pattern, found + 1)


class PageCache:
    """Caches pages of another memory until `invalidate`, so that small reads cost little."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._pages: dict[int, bytes] = {}  # b"": the page is unreadable

    def invalidate(self) -> None:
        """Forget all pages, because the target has run or its memory was changed."""
        self._pages.clear()

    def read(self, address: int, length: int) -> bytes:
        offset = address % _PAGE
        if offset + length <= _PAGE:
            page = self._pages.get(address - offset)
            if page is None:
                page = self._load(address - offset)
            if page:
                return page[offset : offset + length]
        elif length <= _LARGE:
            pages = [self._page(p) for p in range(address - offset, address + length, _PAGE)]
            if all(pages):
                return b"".join(pages)[offset : offset + length]
        if not 0 <= address <= address + length <= _ADDRESS_SPACE or length > _LONGEST:
            raise UnreadableMemory(address, length)
        return self._memory.read(address, length)

    def fresh(self, address: int, length: int) -> bytes:
        """Return the current contents, without the cache."""
        if length > _LONGEST:
            raise UnreadableMemory(address, length)
        return self._memory.read(address, length)

    def _page(self, address: int) -> bytes:
        page = self._pages.get(address)
        return self._load(address) if page is None else page

    def _load(self, address: int) -> bytes:
        if len(self._pages) >= _CACHED_PAGES:
            self._pages.clear()
        page = b""
        if 0 <= address < _ADDRESS_SPACE:
            with contextlib.suppress(UnreadableMemory):
                page = self._memory.read(address, _PAGE)
        self._pages[address] = page
        return page
