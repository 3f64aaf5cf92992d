# SPDX-License-Identifier: MIT
"""The registry's description of its own layout: root, field table and list of tables.

The first 64 bytes of the root, the entries of the field table and the numbers of the first four
records are fixed. Everything else is decoded by the published names, offsets and sizes.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

from mpipp.common.errors import MpippError, NoRecords
from mpipp.common.text.sanitize import plain
from mpipp.registry.memory.address_space import Memory

MAGIC = b"MPIPPREG"
MAJOR = 1

_BYTE_ORDERS = {b"\x04\x03\x02\x01": "<", b"\x01\x02\x03\x04": ">"}
_ROOT = "8sIIIIQQIIQII"  # the fixed start of struct mpipp_registry
_ROOT_SIZE = 64
_FIELD = "24sHHHHII"  # struct mpipp_field
_FIELD_SIZE = 40
REGISTRY, TABLE, CHUNK, SLOT = range(4)  # the records with fixed numbers

_UNSIGNED, _SIGNED, _CHARACTERS, _NESTED = range(4)
_INTEGERS = {1: "B", 2: "H", 4: "I", 8: "Q"}

# Far more than any wrapper publishes. A damaged count must not cause a long wait.
_MAX_FIELDS = 10_000
_MAX_TABLES = 1_000
_MAX_RECORD = 1 << 20
_MAX_LIST = 1 << 24  # bytes of the field table, and of the list of tables
# Bytes: larger data are probably damaged, and are not cached.
_KEPT_TEXT, _KEPT_TABLE = 256, 1 << 20

Record = TypeVar("Record", bound=tuple[Any, ...])
_Order = Callable[[tuple[Any, ...]], tuple[Any, ...]]


class Field(NamedTuple):
    """A published field: its offset in the record in bytes, and how to read it."""

    offset: int
    size: int
    type: int
    of: int  # for a nested record: its number


class Table(NamedTuple):
    """An entry of the list of tables; the fields are those of struct mpipp_table."""

    name: bytes
    record: int
    record_size: int
    entries: int
    count: int  # type: ignore[assignment]  # the published name hides tuple.count
    chunks: int
    slots: int
    capacity: int
    handle_size: int  # bytes of a handle of this kind


class Decoder(Generic[Record]):
    """Reads selected fields of a record, with a compiled format. Nested records stay bytes."""

    def __init__(self, make: type[Record], code: str, order: _Order) -> None:
        self._struct = struct.Struct(code)
        # Like `make._make`, but faster, without Python code: there may be 10^6 records.
        self._make: Callable[[tuple[Any, ...]], Record] = functools.partial(tuple.__new__, make)
        self._order = order
        self.size = self._struct.size  # bytes of a record

    def decode(self, data: bytes) -> Record:
        """Decode one record from its `size` bytes. Raises MpippError for any other number."""
        try:
            return self._make(self._order(self._struct.unpack(data)))
        except struct.error:
            raise self._mismatch(data) from None

    def within(self, offset: int, data: bytes) -> Record:
        """Decode one record at an offset in these bytes. Raises MpippError if the bytes end before
        the record does."""
        try:
            return self._make(self._order(self._struct.unpack_from(data, offset)))
        except struct.error:
            raise self._mismatch(data[offset:]) from None

    def many(self, data: bytes) -> Iterator[Record]:
        """Decode contiguous records. Raises MpippError if the last one is incomplete."""
        make, order = self._make, self._order
        try:
            return (make(order(values)) for values in self._struct.iter_unpack(data))
        except struct.error:
            raise self._mismatch(data) from None

    def _mismatch(self, data: bytes) -> MpippError:
        return MpippError(
            f"{len(data)} bytes in the mpipp registry do not fit its records of {self.size}"
        )


_Fields = dict[int, dict[str, Field]]  # keys: record, name
_Decoders = dict[tuple[int, type, int], Decoder[Any]]  # keys: record, its class, its size


@functools.cache
def _hints(make: type) -> dict[str, type]:
    return get_type_hints(make)


class Layout:
    """The registry at `address`. A layout makes decoders, and lists the tables.

    Raises MpippError if there is no registry, or if this version cannot read it.
    """

    def __init__(self, memory: Memory, address: int) -> None:
        self._memory = memory
        self.address = address
        start = memory.read(address, _ROOT_SIZE)
        if start[: len(MAGIC)] != MAGIC:
            raise MpippError(f"there is no mpipp registry at {address:#x}")
        order = _BYTE_ORDERS.get(start[16:20])
        if order is None:
            raise self._damaged(f"its byte order mark is {start[16:20].hex()}")
        self.byte_order = order  # "<" or ">", as in `struct`
        _, major, _, _, size, self_address, *lists = struct.unpack(order + _ROOT, start)
        if major != MAJOR:
            raise MpippError(
                f"the mpipp registry at {address:#x} has major version {major}; this mpipp reads "
                f"{MAJOR}: use the mpipp that came with the wrapper"
            )
        if not self_address:
            raise NoRecords(
                "the mpipp wrapper has recorded nothing yet: let the program call MPI first"
            )
        if self_address != address:
            raise MpippError(
                f"the data at {address:#x} is a copy of the mpipp registry at {self_address:#x}"
            )
        if not _ROOT_SIZE <= size <= _MAX_RECORD:
            raise self._damaged(f"its root has {size} bytes")
        fields, field_count, field_size, self._tables, self._table_count, self._table_size = lists
        self._fields, self._decoders = self._read_fields(fields, field_count, field_size)
        self._listed: tuple[bytes, dict[str, Table]] = b"", {}  # as last read: bytes, tables

    def decoder(self, record: int, name: str, make: type[Record], size: int = 0) -> Decoder[Record]:
        """Return a decoder of the fields that `make` names, for record number `record`.

        `name` names the records in error messages. `size` is their distance in memory in bytes, if
        it differs from their own size. Raises MpippError if the registry does not publish a field.
        """
        known = self._decoders.get((record, make, size))
        if known is not None:
            return known
        names: tuple[str, ...] = make._fields  # type: ignore[attr-defined]
        published = self._fields.get(record, {})
        for field in names:
            if field not in published:
                raise MpippError(
                    f"the mpipp registry at {self.address:#x} has no field {field!r} in its {name} "
                    "records: use the mpipp that came with the wrapper"
                )
        types = _hints(make)
        by_offset = sorted(names, key=lambda field: published[field].offset)
        code, end = self.byte_order, 0
        for field in by_offset:
            entry = published[field]
            if entry.offset < end:
                raise self._damaged(f"fields of its {name} records overlap at {field!r}")
            code += f"{entry.offset - end}x{self._code(name, field, entry, types[field])}"
            end = entry.offset + entry.size
        given, size = size, size or self.record_size(record)
        if not 0 < end <= size <= _MAX_RECORD:
            raise self._damaged(f"its {name} records of {size} bytes cannot hold their fields")
        made = Decoder(make, f"{code}{size - end}x", _reorder(by_offset, names))
        self._decoders[record, make, given] = made
        return made

    def record_size(self, record: int) -> int:
        """Return the bytes of a record."""
        whole = self._fields.get(record, {}).get("")
        if whole is None:
            raise self._damaged(f"the size of record number {record} is missing")
        return whole.size

    def nested(self, record: int, name: str) -> int:
        """Return the number of the record that is nested in another one as field `name`."""
        field = self._fields.get(record, {}).get(name)
        if field is None or field.type != _NESTED:
            raise self._damaged(f"record number {record} holds no {name!r}")
        return field.of

    def tables(self) -> dict[str, Table]:
        """Return the tables by name, as they are now, also those that this mpipp does not know."""
        if self._table_count > _MAX_TABLES:
            raise self._damaged(f"it lists {self._table_count} tables")
        decoder = self.decoder(TABLE, "table", Table, self._table_size)
        if self._table_count * decoder.size > _MAX_LIST:
            raise self._damaged(f"its tables have {decoder.size} bytes each")
        data = self._memory.read(self._tables, self._table_count * decoder.size)
        if data != self._listed[0]:
            self._listed = data, {text(table.name): table for table in decoder.many(data)}
        return self._listed[1]

    def field(self, record: int, name: str) -> Field | None:
        """Return field `name` of record number `record`; None if it is not published."""
        return self._fields.get(record, {}).get(name)

    def _read_fields(self, address: int, count: int, size: int) -> tuple[_Fields, _Decoders]:
        listed = 0 < count <= _MAX_FIELDS and _FIELD_SIZE <= size <= _MAX_RECORD
        if not listed or count * size > _MAX_LIST:
            raise self._damaged(f"its field table has {count} entries of {size} bytes")
        data = self._memory.read(address, count * size)
        make = _published if len(data) <= _KEPT_TABLE else _published.__wrapped__
        return make(data, size, self.byte_order)

    def _code(self, name: str, field: str, entry: Field, wanted: type) -> str:
        if entry.type in (_CHARACTERS, _NESTED) and entry.size <= _MAX_RECORD and wanted is bytes:
            return f"{entry.size}s"
        code = _INTEGERS.get(entry.size)
        if code is None or entry.type not in (_UNSIGNED, _SIGNED) or wanted is not int:
            raise self._damaged(
                f"{field!r} of its {name} records has type {entry.type} and {entry.size} bytes"
            )
        return code if entry.type == _UNSIGNED else code.lower()

    def _damaged(self, why: str) -> MpippError:
        return MpippError(f"the mpipp registry at {self.address:#x} is damaged: {why}")


@functools.lru_cache(maxsize=4)
def _published(data: bytes, size: int, byte_order: str) -> tuple[_Fields, _Decoders]:
    # Returns a field table, and its decoders. Cached, because all processes of a job have the same
    # one.
    fields: _Fields = {}
    for position in range(0, len(data), size):
        entry = struct.unpack_from(byte_order + _FIELD, data, position)
        name, record, type_, of, _, offset, length = entry
        fields.setdefault(record, {})[text(name)] = Field(offset, length, type_, of)
    return fields, {}


def text(characters: bytes) -> str:
    """Return a field of characters as text, up to its first NUL.

    The text is cached if it is short, as all texts of the wrapper are.
    """
    return (_text if len(characters) <= _KEPT_TEXT else _text.__wrapped__)(characters)


@functools.lru_cache(maxsize=4096)  # there are some 1,500 names
def _text(characters: bytes) -> str:
    words = characters.partition(b"\0")[0].decode("utf-8", "backslashreplace")
    return plain(words)


def find_roots(memory: Memory, candidates: Iterable[int]) -> Iterator[int]:
    """Yield the addresses of MAGIC that have a registry, not a copy of one."""
    for address in candidates:
        try:
            Layout(memory, address)
        except MpippError:
            continue
        yield address


def find_in(memory: Memory, search: Callable[[bytes], Iterable[int]]) -> int:
    """Return the address of the registry in memory without symbols.

    `search` yields every address at which the passed bytes are found. Raises MpippError if none of
    them is a registry that this mpipp can read.
    """
    for address in find_roots(memory, search(MAGIC)):
        return address
    raise MpippError(
        "there is no mpipp registry in this program: start it with the mpipp wrapper (mpipp run)"
    )


def _reorder(by_offset: Iterable[str], names: tuple[str, ...]) -> _Order:
    positions = {name: position for position, name in enumerate(by_offset)}
    order = [positions[name] for name in names]
    if order == sorted(order):
        return tuple
    return itemgetter(*order)
