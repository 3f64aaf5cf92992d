# SPDX-License-Identifier: MIT
"""The records of two processes of jumble.c, stored as pages of memory, for random damage."""

from __future__ import annotations

import hashlib
import pickle
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.model import KINDS, Thread
from mpipp.registry.layout.field_table import find_in
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from tests import support
from tests.fuzz.places import Targets, targets
from tests.ranks import ranks

PROGRAM = Path(__file__).with_name("programs") / "jumble.c"
STOPS = 3  # stops of jumble.c, selected by an argument
_PAGE = 4096
_LONGEST = 1 << 28  # bytes that gdb's memory can read at once


class Snapshot(NamedTuple):
    """A process: the pages that hold its registry, and the places where damage may matter."""

    address: int  # address of the registry
    pages: Mapping[int, bytes]
    targets: Targets
    handles: Mapping[str, tuple[int, ...]]


class Pages:
    """Memory of which some pages are known."""

    def __init__(self, pages: Mapping[int, bytes]) -> None:
        self._pages = pages
        self._changed: dict[int, bytearray] = {}

    def write(self, address: int, data: bytes) -> None:
        """Damage some bytes. Unknown pages stay unknown."""
        for at, byte in enumerate(data, address):
            start = at - at % _PAGE
            if start not in self._changed:
                if start not in self._pages:
                    continue
                self._changed[start] = bytearray(self._pages[start])
            self._changed[start][at % _PAGE] = byte

    def read(self, address: int, length: int) -> bytes:
        """Exactly `length` bytes at `address`. Raises UnreadableMemory."""
        first = address - address % _PAGE
        if length > _PAGE * (len(self._pages) + 1):
            raise UnreadableMemory(address, length)
        pieces = []
        for start in range(first, address + length, _PAGE):
            page = self._changed.get(start) or self._pages.get(start)
            if page is None:
                raise UnreadableMemory(address, length)
            pieces.append(page)
        return b"".join(pieces)[address - first : address - first + length]


class Endless(Pages):
    """Pages in which all unknown pages are zero, as in a sparse file."""

    def read(self, address: int, length: int) -> bytes:
        """Exactly `length` bytes at `address`. Raises UnreadableMemory."""
        if not 0 <= address <= address + length <= 1 << 64 or length > _LONGEST:
            raise UnreadableMemory(address, length)
        data = bytearray(length)
        touched = range(address - address % _PAGE, address + length, _PAGE)
        for start in touched if len(touched) < len(self._pages) else self._pages:
            page = self._changed.get(start) or self._pages.get(start)
            low, high = max(address, start), min(address + length, start + _PAGE)
            if page is not None and low < high:
                data[low - address : high - address] = page[low - start : high - start]
        return bytes(data)


class _Recorded:
    # The memory of a process, which stores each page that is read.

    def __init__(self, memory: ProcessMemory) -> None:
        self._memory = memory
        self.search = memory.search
        self.pages: dict[int, bytes] = {}

    def read(self, address: int, length: int) -> bytes:
        for start in range(address - address % _PAGE, address + length, _PAGE):
            if start not in self.pages:
                self.pages[start] = self._memory.read(start, _PAGE)
        return Pages(self.pages).read(address, length)


def taken(mpi: support.MPI) -> list[tuple[Snapshot, ...]]:
    """The processes at each stop, stored once for each build of the wrapper."""
    program = support.compile_program(PROGRAM, mpi, ["-g", "-O0"])
    made_by = mpi.wrapper.encode() + program.name.encode() + Path(__file__).read_bytes()
    kept = support.BUILD / f"fuzz-{mpi.id}-{hashlib.sha256(made_by).hexdigest()[:10]}.pickle"
    with support.locked(kept.with_suffix(".lock")):
        if not kept.exists():
            found = [tuple(_processes(program, mpi, stop)) for stop in range(STOPS)]
            kept.write_bytes(pickle.dumps(found))
        result: list[tuple[Snapshot, ...]] = pickle.loads(kept.read_bytes())
        return result


def _processes(program: Path, mpi: support.MPI, stop: int) -> Iterator[Snapshot]:
    with ranks(program, mpi, str(stop)) as processes:
        for _, pid in sorted(processes.items()):
            memory = ProcessMemory(pid)
            address = find_in(memory, memory.search)
            end = time.monotonic() + 60
            while not _is_inside(memory, address):
                assert time.monotonic() < end, f"process {pid} is not in MPI at stop {stop}"
                time.sleep(0.01)
            yield _snapshot(memory, address)
            memory.close()


def _is_inside(memory: ProcessMemory, address: int) -> bool:
    threads = Registry(memory, address).threads()
    return any(isinstance(thread, Thread) and thread.call for thread in threads)


def _snapshot(memory: ProcessMemory, address: int) -> Snapshot:
    recorded = _Recorded(memory)
    registry = Registry(recorded, address)
    where = targets(registry, recorded)
    handles = {
        kind: tuple(one.header.handle for one in registry.objects(kind, ended=True))
        for kind in KINDS
    }
    for thread in registry.threads():
        assert isinstance(thread, Thread)
        for buffer in thread.call.buffers if thread.call else ():
            list(buffer.shares or ())
            _touch(recorded, buffer.address)
    _ = registry.info, registry.constants
    return Snapshot(address, recorded.pages, where, handles)


def _touch(recorded: _Recorded, address: int) -> None:
    for page in range(address, address + 8 * _PAGE, _PAGE):
        try:
            recorded.read(page, 1)
        except MpippError:
            return
