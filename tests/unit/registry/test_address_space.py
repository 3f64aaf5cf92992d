# SPDX-License-Identifier: MIT
"""The sources of bytes, and the cache in front of them."""

from __future__ import annotations

import ctypes
import mmap
import os
import subprocess
import sys

import pytest

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.registry.memory.address_space import BytesMemory, PageCache, ProcessMemory

PAGE = 4096


class Counting:
    def __init__(self, memory: BytesMemory) -> None:
        self.memory = memory
        self.reads: list[tuple[int, int]] = []

    def read(self, address: int, length: int) -> bytes:
        self.reads.append((address, length))
        return self.memory.read(address, length)


def test_bytes_memory() -> None:
    memory = BytesMemory({0x10: b"abcdef", 0x16: b"gh"})
    assert memory.read(0x12, 4) == b"cdef"
    with pytest.raises(UnreadableMemory, match="cannot read 5 bytes at 0x12"):
        memory.read(0x12, 5)


def test_pages_are_read_once_until_invalidated() -> None:
    data = bytearray(range(256)) * 48
    counting = Counting(BytesMemory({0x10000: data}))
    cache = PageCache(counting)
    assert cache.read(0x10010, 4) == bytes(range(0x10, 0x14))
    assert cache.read(0x10020, 4) == bytes(range(0x20, 0x24))
    assert counting.reads == [(0x10000, PAGE)]
    assert cache.read(0x10FFE, 4) == b"\xfe\xff\x00\x01"  # this read crosses the end of a page
    assert counting.reads == [(0x10000, PAGE), (0x11000, PAGE)]
    data[0x10] = 99
    assert cache.read(0x10010, 1) == b"\x10"
    cache.invalidate()
    assert cache.read(0x10010, 1) == b"\x63"


def test_pieces_smaller_than_a_page_are_read_as_they_are() -> None:
    cache = PageCache(BytesMemory({0x10010: b"abcdef"}))
    assert cache.read(0x10012, 2) == b"cd"
    with pytest.raises(UnreadableMemory, match="cannot read 2 bytes at 0x10100"):
        cache.read(0x10100, 2)


def test_large_reads_pass_by() -> None:
    data = bytes(3 << 20)
    counting = Counting(BytesMemory({0x10000: data}))
    assert len(PageCache(counting).read(0x10008, 2 << 20)) == 2 << 20
    assert counting.reads == [(0x10008, 2 << 20)]


@pytest.mark.parametrize("address", [-8, (1 << 64) - 4, 1 << 64, 1 << 80])
def test_outside_of_the_address_space(address: int) -> None:
    cache = PageCache(ProcessMemory(os.getpid()))
    with pytest.raises(UnreadableMemory):
        cache.read(address, 8)
    with pytest.raises(UnreadableMemory):
        cache.read(address, 80_000)


def test_process_memory() -> None:
    text = ctypes.create_string_buffer(b"here I am, at a known address", 64)
    memory = ProcessMemory(os.getpid())
    address = ctypes.addressof(text)
    assert memory.read(address, 9) == b"here I am"
    assert address in memory.search(b"here I am, at a known")
    with pytest.raises(UnreadableMemory, match="cannot read 8 bytes at 0x8"):
        memory.read(8, 8)
    memory.close()


def test_a_search_where_the_end_of_a_mapping_has_gone() -> None:
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    start = libc.mmap(None, 2 * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    ctypes.memmove(start + 8, b"here I am", 9)
    libc.munmap(start + PAGE, PAGE)
    memory = ProcessMemory(os.getpid())
    assert list(memory._search(b"here I am", start, start + 2 * PAGE)) == [start + 8]
    memory.close()
    libc.munmap(start, PAGE)


def test_no_such_process() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with pytest.raises(MpippError, match=f"there is no process {gone.pid}"):
        ProcessMemory(gone.pid)
