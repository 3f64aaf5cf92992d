# SPDX-License-Identifier: MIT
"""The watcher does not trust the memory file of a process."""

from __future__ import annotations

import os
import re
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.registry.memory.address_space import BytesMemory
from mpipp.watcher.ipc import protocol
from mpipp.watcher.ipc.shared_memory import FileMemory
from tests.support import ROOT

PAGE = 4096


@contextmanager
def file_of(*regions: tuple[int, int, int], count: int | None = None) -> Iterator[int]:
    """A memory file of two pages, with this list of regions at its start."""
    file = os.memfd_create("mpipp")
    head = struct.pack("=QQQQ", len(regions) if count is None else count, 0, 0, 0)
    os.pwrite(file, head + b"".join(struct.pack("=QQQ", *one) for one in regions), 0)
    os.pwrite(file, b"second page", PAGE)
    os.ftruncate(file, 2 * PAGE)
    try:
        yield file
    finally:
        os.close(file)


def test_regions() -> None:
    with file_of((0x10000, 0, PAGE), (0x70000, PAGE, PAGE)) as file:
        memory = FileMemory(file, 0)
        assert memory.read(0x70000, 11) == b"second page"
        assert memory.read(0x70007, 4) == b"page"
        for address, length in ((0x70FFF, 2), (0x6FFFF, 1), (0, 1), (1 << 64, 1), (-1, 1)):
            with pytest.raises(UnreadableMemory):
                memory.read(address, length)
        assert memory.read(0, 0) == b""


def test_other_memory() -> None:
    with file_of((0x10000, 0, PAGE)) as file:
        memory = FileMemory(file, 0, BytesMemory({0x500: b"the stack"}))
        assert memory.read(0x504, 5) == b"stack"
        memory.mark_ended()
        with pytest.raises(UnreadableMemory):
            memory.read(0x504, 5)


def test_reading_where_a_region_was_added() -> None:
    """This works even if the process has ended, and its other memory is gone."""
    with file_of((0x10000, 0, PAGE)) as file:
        memory = FileMemory(file, 0, BytesMemory({}))
        os.pwrite(
            file, struct.pack("=QQQQ6Q", 2, 0, 0, 0, 0x10000, 0, PAGE, 0x70000, PAGE, PAGE), 0
        )
        assert memory.read(0x70000, 11) == b"second page"


def test_writing_where_a_region_was_added() -> None:
    with file_of((0x10000, 0, PAGE)) as file:
        memory = FileMemory(file, 0)
        os.pwrite(file, struct.pack("=QQQQ", 2, 0, 0, 0), 0)
        os.pwrite(file, struct.pack("=QQQ", 0x70000, PAGE, PAGE), 32 + 24)
        memory.write(0x70000, b"a third")
        assert memory.read(0x70000, 11) == b"a thirdpage"
        with pytest.raises(MpippError):
            memory.write(0x80000, b"x")


def test_a_region_beyond_the_file() -> None:
    with file_of((0x10000, 0, 1 << 40), (0x70000, 1 << 63, PAGE)) as file:
        memory = FileMemory(file, 0)
        for address in (0x10000 + 3 * PAGE, 0x70000):
            with pytest.raises(UnreadableMemory):
                memory.read(address, 8)


@pytest.mark.parametrize("count", [0, 65, 1 << 63])
def test_a_count_that_makes_no_sense(count: int) -> None:
    with file_of((0x10000, 0, PAGE), count=count) as file, pytest.raises(MpippError):
        FileMemory(file, 0)


def test_a_file_that_becomes_shorter() -> None:
    with file_of((0x10000, 0, PAGE), (0x70000, PAGE, PAGE)) as file:
        memory = FileMemory(file, 0)
        os.ftruncate(file, 0)
        with pytest.raises(UnreadableMemory):
            memory.read(0x70000, 1)
        with pytest.raises(MpippError):
            memory.refresh()


@pytest.mark.parametrize("data", [b"MPIPPHI", b"x" * 48, b"GET / HTTP/1.1\r\n\r\n"])
def test_who_is_no_program(data: bytes) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    file = os.memfd_create("mpipp")
    before = len(os.listdir("/proc/self/fd"))
    with ours, theirs:
        socket.send_fds(theirs, [data], [file])
        with pytest.raises(MpippError, match="is not an MPI program"):
            protocol.greeting(ours)
        assert len(os.listdir("/proc/self/fd")) == before  # files from messages are closed
    os.close(file)


def test_memory_of_records_is_freed_as_such() -> None:
    """Memory of records may be in the file, so malloc's free() must not get it."""
    wrapper = ROOT / "wrapper"
    found = {
        str(file.relative_to(wrapper))
        for file in sorted(wrapper.rglob("*.[ch]"))
        if re.search(r"(?<!\w)(free|realloc|strdup|munmap)\(", file.read_text())
    }
    of_hooks = (
        "buffer_guard/",
        "perturb/",
        "libc_interposer/",
        "instrumentation/in_program/",
        "rma_page_trace/",
        "thread_order/",
        "rma_screen/",
    )  # memory outside records
    found = {name for name in found if not name.startswith(of_hooks)}
    # Memory from MPI and from the C library.
    asked = {"recorder/objects/infos.c", "abi/mpi_symbols.c"}
    assert found == {"registry/shared_arena.c", "registry/allocator.c"} | asked
