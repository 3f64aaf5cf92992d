# SPDX-License-Identifier: MIT
"""What two processes of jumble.c have recorded, kept as pages of memory, and damaged by draw."""

from __future__ import annotations

import pickle
import random
import struct
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import support
from ranks import ranks

from mpipp.errors import MpippError, UnreadableMemory
from mpipp.model import KINDS, Broken, DatatypeRecord, Thread
from mpipp.registry.memory import ProcessMemory
from mpipp.registry.reader import Registry, find_in

PROGRAM = Path(__file__).with_name("programs") / "jumble.c"
STOPS = 3  # what jumble.c can be told to stay in
_PAGE = 4096
_NESTED = 3  # the type of a field that is a record


class Place(NamedTuple):
    """A field of some record, by its address and bytes."""

    address: int
    size: int


class Snapshot(NamedTuple):
    """One process: the pages that its registry is read from, and where damage may matter."""

    address: int  # of the registry
    pages: Mapping[int, bytes]
    places: tuple[Place, ...]
    pointers: tuple[int, ...]  # addresses that mean something
    handles: Mapping[str, tuple[int, ...]]


class Pages:
    """Memory of which some pages are known."""

    def __init__(self, pages: Mapping[int, bytes]) -> None:
        self._pages = pages
        self._changed: dict[int, bytearray] = {}

    def write(self, address: int, data: bytes) -> None:
        """Damage some bytes; those that are not there stay away."""
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


class _Recorded:
    # Memory of a process that keeps each page that was read.

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
    """The processes at each stop; taken once for each build of the wrapper."""
    kept = support.BUILD / f"fuzz-{mpi.id}-{Path(mpi.wrapper).parent.name}.pickle"
    with support.locked(kept.with_suffix(".lock")):
        if not kept.exists():
            program = support.compile_program(PROGRAM, mpi, ["-g", "-O0"])
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
    source = registry._source
    places = [Place(address + offset, 4) for offset in range(0, 64, 4)]
    pointers = [address, address + 64]
    handles = {}
    for kind in [*KINDS, "thread"]:
        number = source.table(kind).record
        for found in registry._records(kind):
            assert not isinstance(found, Broken)
            places += _fields(registry, number, found[0])
            pointers.append(found[0])
    for kind in KINDS:
        known = list(registry.objects(kind, freed=True))
        handles[kind] = tuple(one.header.handle for one in known)
        for one in known:
            if isinstance(one, DatatypeRecord):
                record = recorded.read(one.header.record, source.table(kind).record_size)
                raw = registry._datatypes._decoder.one(record)
                for start, count in (
                    (raw.components, raw.component_count),
                    (raw.arguments, raw.argument_count),
                ):
                    places += [Place(start + 8 * i, 8) for i in range(count)]
    tables, count, size = struct.unpack("<QII", recorded.read(address + 48, 16))
    for i in range(count):
        places += _fields(registry, 1, tables + i * size)
    for thread in registry.threads():
        assert isinstance(thread, Thread)
        for buffer in thread.call.buffers if thread.call else ():
            list(buffer.parts or ())
            _touch(recorded, buffer.address)
    _ = registry.info, registry.constants
    return Snapshot(address, recorded.pages, tuple(places), tuple(pointers), handles)


def _touch(recorded: _Recorded, address: int) -> None:
    for page in range(address, address + 8 * _PAGE, _PAGE):
        try:
            recorded.read(page, 1)
        except MpippError:
            return


def _fields(registry: Registry, number: int, address: int) -> Iterator[Place]:
    # Of a record and of the records in it.
    fields = registry._source.layout._fields[number]
    for name, field in fields.items():
        if not name:
            continue
        if field.type == _NESTED:
            size = registry._source.layout.record_size(field.of)
            for start in range(0, field.size, size):
                yield from _fields(registry, field.of, address + field.offset + start)
        elif field.size <= 8:
            yield Place(address + field.offset, field.size)
        else:
            yield from (Place(address + field.offset + i, 8) for i in range(0, field.size, 8))


def damage(chance: random.Random, snapshot: Snapshot, memory: Pages) -> None:
    """Write nonsense into a few fields."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        place = chance.choice(snapshot.places)
        bits = 8 * place.size
        value = chance.choice(
            (
                chance.choice((0, 1, 2, 3, 7, 8, 16, 64, 127, 255, 4096)),
                chance.choice((-1, -2, -8, -(1 << bits - 1), (1 << bits - 1) - 1, 1 << bits - 2)),
                chance.choice(snapshot.pointers) + chance.choice((0, 0, 0, 8, -8, 1)),
                chance.getrandbits(chance.randint(1, bits)),
                int.from_bytes(_bytes(memory, place), "little") ^ 1 << chance.randrange(bits),
                int.from_bytes(_bytes(memory, chance.choice(snapshot.places)), "little"),
            )
        )
        memory.write(place.address, (value % (1 << bits)).to_bytes(place.size, "little"))


def _bytes(memory: Pages, place: Place) -> bytes:
    try:
        return memory.read(place.address, place.size)
    except UnreadableMemory:
        return b""
