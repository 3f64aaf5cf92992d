# SPDX-License-Identifier: MIT
"""The registry's tables: look-up of records by handle or Fortran handle, and lists of records."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.common.errors import MpippError
from mpipp.model import Broken
from mpipp.registry.layout.field_table import CHUNK, SLOT
from mpipp.registry.layout.record_fields import RawChunk, RawObject, RawSlot
from mpipp.registry.layout.record_source import Source

_HASH = 0x9E3779B97F4A7C15
_REMOVED = 1  # stands in a slot whose record was removed
_PROBE = 4  # slots that are read at a time
_MAX_PROBE = 1 << 16
_MAX_CHUNKS = 1 << 20
_MAX_RECORDS = 1 << 24  # records of one kind
_READ = 1 << 18  # bytes of records that are read at a time


class Tables:
    """Finds records; their addresses are `Header.record`."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._chunks = source.layout.decoder(CHUNK, "chunk", RawChunk)
        self._slots = source.layout.decoder(SLOT, "slot", RawSlot)
        self._found: dict[tuple[str, int], int | None] = {}  # keys: kind, handle
        self._fints: dict[str, dict[int, int]] = {}

    def invalidate(self) -> None:
        """Forget all addresses, because the process has run or its memory was changed."""
        self._found.clear()
        self._fints.clear()

    def place(self, kind: str, handle: int) -> int | None:
        """Return the address of the record that has the handle now, or had it last."""
        try:
            return self._found[kind, handle]
        except KeyError:
            plain = handle % (1 << 8 * self._source.handle_size(kind))
            found = self._found[kind, handle] = self._probe(kind, plain)
            return found

    def by_fint(self, kind: str, fint: int) -> int | None:
        """Return the address of the record with a Fortran INTEGER handle, if the object exists."""
        index = self._fints.get(kind)
        if index is None:
            index = self._fints[kind] = self._index_fints(kind)
        return index.get(fint)

    def records(self, kind: str) -> Iterator[Broken | tuple[int, bytes]]:
        """Yield the address and bytes of every record, used or unused.

        If the list is damaged, the last item is Broken.
        """
        address = 0
        try:
            table = self._source.table(kind)
            address, size, seen, count = table.chunks, table.record_size, set[int](), 0
            if not 0 < size <= _READ:
                raise self._damaged(kind, f"has records of {size} bytes")
            while address:
                if address in seen or len(seen) >= _MAX_CHUNKS:
                    raise self._damaged(kind, "has a chunk that follows itself")
                seen.add(address)
                chunk = self._chunks.decode(self._source.memory.read(address, self._chunks.size))
                if chunk.used > chunk.capacity:
                    raise self._damaged(
                        kind, f"has a chunk with {chunk.used} of {chunk.capacity} records"
                    )
                count += chunk.used
                if count > _MAX_RECORDS:
                    raise self._damaged(kind, f"has {count} records")
                yield from self._chunk(address + self._chunks.size, chunk.used, size)
                address = chunk.next
        except MpippError as error:
            yield Broken(kind, address, str(error))

    def raw_headers(self, kind: str, ended: bool) -> Iterator[Broken | tuple[int, RawObject]]:
        """Yield the address and header of every object, with `ended` also of freed ones."""
        hidden = 0 if ended else self._source.value("flag", "ended")
        decode = None
        for found in self.records(kind):
            if isinstance(found, Broken):
                yield found
                continue
            address, record = found
            decode = decode or self._source.raw_headers(kind)
            raw = decode(record)
            if raw.serial and not raw.flags & hidden:
                yield address, raw

    def _probe(self, kind: str, handle: int) -> int | None:
        # Looks the handle up in the hash table, as mpipp_find in the wrapper's object_store.h.
        table = self._source.table(kind)
        if not table.slots:
            return self._scan(kind, handle) if table.capacity else None
        capacity = table.capacity
        if not 0 < capacity <= 1 << 32 or capacity & (capacity - 1):
            raise self._damaged(kind, f"has {capacity} slots")
        slot = (handle * _HASH >> 32) & (capacity - 1)
        probed, size = 0, self._slots.size
        while probed < min(capacity, _MAX_PROBE):
            count = min(_PROBE, capacity - slot)
            data = self._source.memory.read(table.slots + slot * size, count * size)
            for found, record in self._slots.many(data):
                if not record:
                    return None
                if found == handle and record != _REMOVED:
                    return record
            probed += count
            slot = (slot + count) & (capacity - 1)
        return None

    def _scan(self, kind: str, handle: int) -> int | None:
        # Search all records: the process was stopped while the wrapper replaced the hash table.
        hidden = self._source.value("flag", "unlisted")
        for found in self.records(kind):
            if not isinstance(found, Broken):
                raw = self._source.raw_header(kind, found[1])
                if raw.serial and raw.handle == handle and not raw.flags & hidden:
                    return found[0]
        return None

    def _chunk(self, start: int, count: int, size: int) -> Iterator[tuple[int, bytes]]:
        if count:
            # Read the last record first: a damaged count must fail before the loop reads all
            # records.
            self._source.memory.read(start + (count - 1) * size, size)
        step = _READ // size
        for first in range(0, count, step):
            address = start + first * size
            data = self._source.memory.read(address, min(step, count - first) * size)
            for offset in range(0, len(data), size):
                yield address + offset, data[offset : offset + size]

    def _index_fints(self, kind: str) -> dict[int, int]:
        source, index = self._source, dict[int, int]()
        hidden = source.value("flag", "ended") | source.value("flag", "unlisted")
        predefined, null = source.value("flag", "predefined"), source.value("flag", "null")
        for found in self.records(kind):
            if isinstance(found, Broken):
                continue
            address, record = found
            raw = source.raw_header(kind, record)
            if not raw.serial or raw.flags & hidden:
                continue
            # A recorded INTEGER of 0 means that the wrapper did not query it, except for constants.
            if raw.flags & null:
                index.setdefault(raw.fint, address)
            elif raw.fint or raw.flags & predefined:
                index[raw.fint] = address
        return index

    def _damaged(self, kind: str, why: str) -> MpippError:
        return MpippError(f"the table of {kind}s in the mpipp registry is damaged: it {why}")
