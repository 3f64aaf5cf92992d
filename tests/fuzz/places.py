# SPDX-License-Identifier: MIT
"""Places in a registry where damage may matter, and wrong values. gdb's Python uses this, too."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from mpipp.common.errors import UnreadableMemory
from mpipp.model import KINDS, Broken, Comm, DatatypeRecord
from mpipp.registry.layout.record_fields import RawHistory, RawPage
from mpipp.registry.memory.address_space import Memory
from mpipp.registry.registry import Registry

_NESTED = 3  # the type of a field that contains a record


class Place(NamedTuple):
    """A field of a record: its address and size in bytes."""

    address: int
    size: int


class Targets(NamedTuple):
    """The parts of a registry that may be damaged, and values to write."""

    places: Sequence[Place]
    pointers: Sequence[int]  # valid addresses in the registry


class Damageable(Protocol):
    """Memory that can be damaged."""

    def read(self, address: int, length: int) -> bytes:
        """Exactly `length` bytes at `address`. Raises UnreadableMemory."""
        ...

    def write(self, address: int, data: bytes) -> None:
        """Damage some bytes."""
        ...


def targets(registry: Registry, memory: Memory) -> Targets:
    """Every field of every record, and the arrays of datatypes."""
    source = registry._source
    places = [Place(registry.address + offset, 4) for offset in range(0, 64, 4)]
    address = registry.address
    pointers = [address, address + 64]
    for kind in [*KINDS, "thread"]:
        number = source.table(kind).record
        for found in registry._tables.records(kind):
            assert not isinstance(found, Broken)
            places += _fields(registry, number, found[0])
            pointers.append(found[0])
    for kind in KINDS:
        for one in registry.objects(kind, ended=True):
            if isinstance(one, DatatypeRecord):
                record = memory.read(one.header.record, source.table(kind).record_size)
                raw = registry._datatypes._decoder.decode(record)
                for start, count in (
                    (raw.components, raw.component_count),
                    (raw.arguments, raw.argument_count),
                ):
                    places += [Place(start + 8 * i, 8) for i in range(count)]
    places += _ledger(registry, memory, pointers)
    tables, count, size = struct.unpack("<QII", memory.read(address + 48, 16))
    for i in range(count):
        places += _fields(registry, 1, tables + i * size)
    return Targets(tuple(places), tuple(pointers))


def _ledger(registry: Registry, memory: Memory, pointers: list[int]) -> Iterator[Place]:
    # Call histories, their pages, and the words in the pages.
    source = registry._source
    pages = source.linked_decoder("pages", RawPage)
    histories = source.linked_decoder("histories", RawHistory)
    for comm in registry.objects("comm", ended=True):
        for channel in comm.channels if isinstance(comm, Comm) else ():
            if not channel.history:
                continue
            pointers.append(channel.history)
            yield from _fields(registry, source.tables["histories"].record, channel.history)
            address = histories.decode(memory.read(channel.history, histories.size)).pages
            while address:
                yield from _fields(registry, source.tables["pages"].record, address)
                page = pages.decode(memory.read(address, pages.size))
                words = address + pages.size
                yield from (Place(words + 8 * i, 8) for i in range(page.used))
                address = page.next


def _fields(registry: Registry, number: int, address: int) -> Iterator[Place]:
    # Fields of a record, and of the records inside it.
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


def damage(chance: random.Random, targets: Targets, memory: Damageable) -> None:
    """Write wrong values into a few fields."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        place = chance.choice(targets.places)
        bits = 8 * place.size
        value = chance.choice(
            (
                chance.choice((0, 1, 2, 3, 7, 8, 16, 64, 127, 255, 4096)),
                chance.choice((-1, -2, -8, -(1 << bits - 1), (1 << bits - 1) - 1, 1 << bits - 2)),
                chance.choice(targets.pointers) + chance.choice((0, 0, 0, 8, -8, 1)),
                chance.getrandbits(chance.randint(1, bits)),
                int.from_bytes(_bytes(memory, place), "little") ^ 1 << chance.randrange(bits),
                int.from_bytes(_bytes(memory, chance.choice(targets.places)), "little"),
            )
        )
        memory.write(place.address, (value % (1 << bits)).to_bytes(place.size, "little"))


def _bytes(memory: Damageable, place: Place) -> bytes:
    try:
        return memory.read(place.address, place.size)
    except UnreadableMemory:
        return b""
