# SPDX-License-Identifier: MIT
"""The common base of all decoders of records: the target's memory and layout.

The base also reads strings, arrays, and the names of numbers.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.model import NOTHING_ATTACHED, Attachment, Header, Site, UnconfirmedSends
from mpipp.registry.layout.field_table import REGISTRY, Decoder, Layout, Record, Table, text
from mpipp.registry.layout.python_lines import PythonPlaces
from mpipp.registry.layout.record_fields import (
    RawAttachment,
    RawConstant,
    RawEnumerator,
    RawObject,
    RawProcedure,
    RawRoot,
    RawStackPlace,
    RawTimestamp,
)
from mpipp.registry.memory.address_space import Memory, PageCache

_MAX_STRING = 4096  # bytes
_STRING_STEP = 256
_MAX_ARRAY = 1 << 27  # bytes
_SMALL_ARRAY = 4096  # bytes
_FEW = 16  # arrays with at most this many numbers are read at once
_MOST_KEPT = 1 << 26  # numbers in arrays, and bytes of strings: some gigabytes in Python
_MOST_PROCESSES = 1 << 22  # most processes in a communicator
_MAX_FRAMES = 1024
_MOST_STACKS = 1 << 16
_MAX_ENTRIES = 100_000  # most entries in a table of names

UNCERTAIN = 1 << 63  # the wrapper sets this bit in counts and ordinals that are uncertain

_MOST_MARKS = 1 << 20
_INTEGERS = {4: "i", 8: "q"}


def expect_number(processes: int) -> None:
    """Raise MpippError if a record has more processes than any job."""
    if processes > _MOST_PROCESSES:
        raise MpippError(
            f"{processes} processes are recorded: mpipp knows at most {_MOST_PROCESSES}"
        )


def certain(ordinal: int) -> int | None:
    """Return an ordinal; None if the wrapper marked it as uncertain or does not know it."""
    return ordinal if 0 < ordinal < UNCERTAIN else None


class Source:
    """The memory of one registry. Data that never change are read only once.

    All other data are read on demand, and small reads are cached until `invalidate`.
    """

    def __init__(self, memory: Memory, address: int) -> None:
        self.memory = PageCache(memory)
        self.layout = Layout(self.memory, address)
        self.byte_order = self.layout.byte_order
        self._single = {code: struct.Struct(self.byte_order + code) for code in "iqIQ"}
        self._root = self.layout.decoder(REGISTRY, "root", RawRoot)
        self._last_root: tuple[bytes, RawRoot] = b"", self._root.decode(bytes(self._root.size))
        attachment = self.layout.nested(REGISTRY, "attached")
        self._attachments = self.layout.decoder(attachment, "attachment", RawAttachment)
        self._tables: dict[str, Table] | None = None
        self._prepare_headers()
        self._enumerations = _enumerations(*self._array("enumerators", RawEnumerator))
        self._procedures = _procedures(*self._array("procedures", RawProcedure))
        self._constants: dict[str, int] | None = None
        self._strings: dict[int, str] = {}
        self._kept = 0  # numbers and bytes that were read since the process last ran
        self._times: dict[int, dict[int, int]] | None = None
        self._flags: dict[tuple[str, int], frozenset[str]] = {}
        self._sites: dict[int, Site] = {}
        self._python = PythonPlaces(self.memory, self.layout)

    def invalidate(self) -> None:
        """Forget everything that may have changed, because the target has run."""
        self.memory.invalidate()
        self._tables = None
        self._constants = None
        self._times = None
        self._kept = 0
        self._strings.clear()
        self._sites.clear()

    @property
    def tables(self) -> dict[str, Table]:
        """Return the registry's tables by name."""
        if self._tables is None:
            self._tables = self.layout.tables()
        return self._tables

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are not handles; MPI_Init adds some."""
        if self._constants is None:
            entries = self.entries("constants", RawConstant)
            self._constants = {text(raw.name): raw.value for raw in entries}
        return self._constants

    def root(self) -> RawRoot:
        """Return the root's fields as they are now."""
        data = self.memory.read(self.layout.address, self._root.size)
        if data != self._last_root[0]:
            self._last_root = data, self._root.decode(data)
        return self._last_root[1]

    def table(self, kind: str) -> Table:
        """Return the table of the objects of a kind. Raises MpippError if there is none."""
        table = self.tables.get(kind + "s")
        if table is None:
            raise MpippError(f"the mpipp wrapper in this program records no {kind}s")
        return table

    def handle_size(self, kind: str) -> int:
        """Return the bytes of a handle. The size depends on the kind: MPICH's MPI_File is a
        pointer."""
        size = self.table(kind).handle_size
        if size not in _INTEGERS:
            raise MpippError(f"handles of {size} bytes are recorded for {kind}s")
        return size

    def procedure(self, number: int) -> str:
        """Return the name of an MPI procedure."""
        if number < len(self._procedures):
            return self._procedures[number]
        raise MpippError(f"procedure number {number} is not in the table of procedures")

    def enumerator(self, enumeration: str, value: int) -> str:
        """Return the name of a value; "" for 0 without a name, which null handles have.

        Raises MpippError for any other value without a name.
        """
        name = self._enumerations.get(enumeration, {}).get(value)
        if name is None and value:
            raise MpippError(f"{value} is not a value of {enumeration}")
        return name or ""

    def bits(self, enumeration: str, value: int) -> frozenset[str]:
        """Return the names of the bits that are set; bits without a name are left out."""
        known = self._flags.get((enumeration, value))
        if known is None:
            names = self._enumerations.get(enumeration, {}).items()
            known = frozenset(name for bit, name in names if value & bit)
            self._flags[enumeration, value] = known
        return known

    def sequences(self, value: int) -> frozenset[str]:
        """Return the names of the sequences whose bits are set: sequence number i has bit i."""
        names = self._enumerations.get("sequence", {}).items()
        return frozenset(name for number, name in names if number >= 0 and value >> number & 1)

    def bits_in_order(self, enumeration: str, value: int) -> tuple[str, ...]:
        """Return the names of the bits that are set, lowest first."""
        names = sorted(self._enumerations.get(enumeration, {}).items())
        return tuple(name for bit, name in names if value & bit)

    def value(self, enumeration: str, name: str) -> int:
        """Return the value of an enumerator; 0 if the registry does not publish it."""
        values = self._enumerations.get(enumeration, {}).items()
        return next((value for value, known in values if known == name), 0)

    def enumeration(self, name: str) -> Mapping[int, str]:
        """Return the names of an enumeration's values; none if the registry does not publish it."""
        return self._enumerations.get(name, {})

    def header(self, kind: str, address: int, record: bytes) -> Header:
        """Return the common part of all objects.

        Raises MpippError if the record belongs to another kind.
        """
        return self.header_of(kind, address, self.raw_header(kind, record))

    def header_of(self, kind: str, address: int, raw: RawObject) -> Header:
        """Return the common part of an object whose header was already decoded."""
        if raw.kind != self._numbers[kind]:
            raise MpippError(f"there is no {kind} at {address:#x}")
        if not raw.serial:
            raise MpippError(f"the record at {address:#x} is being changed")
        flags = self.bits("flag", raw.flags)
        site = self.site(raw.caller, raw.frames)
        name = self.string(raw.name) if raw.name else ""
        if name and ("predefined" in flags or "null" in flags):
            name = plain(name, "")  # because the name is shown without quotes
        freed_at = self.site(raw.freed, 0) if raw.freed and "ended" in flags else None
        return Header(
            *(kind, raw.handle, raw.serial, flags, raw.references, raw.fint, site, name, address),
            freed_at,
            raw.holders,
        )

    def raw_headers(self, kind: str) -> Callable[[bytes], RawObject]:
        """Return a decoder for the common part of a record of this kind."""
        offset = self._offsets.get(kind)
        if offset is None:
            raise MpippError(f"the table of {kind}s in the mpipp registry is not one of objects")
        return functools.partial(self._headers.within, offset)

    def raw_header(self, kind: str, record: bytes) -> RawObject:
        """Return the common part of all objects, not interpreted."""
        return self.raw_headers(kind)(record)

    def is_readable(self, kind: str, raw: RawObject) -> bool:
        """Return whether `header_of` certainly raises no error.

        This requires that the header only refers to records in the target that were read before.
        """
        follows = raw.frames or raw.name or raw.caller not in self._sites
        return not follows and raw.kind == self._numbers[kind] and raw.serial != 0

    def site(self, caller: int, frames: int) -> Site:
        """Return the place of a call: its return address, with those of its callers at `frames`."""
        if frames:
            count = self.integers(frames, 1, 8, signed=False)[0]
            if count > _MAX_FRAMES:
                raise MpippError(f"{count} return addresses are recorded at {frames:#x}")
            line = self._python.line(self.tables.get("python_places"), caller)
            return Site(caller, self.integers(frames + 8, count, 8, signed=False), line)
        site = self._sites.get(caller)
        if site is None:
            site = self._sites[caller] = self._stack_place(caller) or Site(
                caller, (), self._python.line(self.tables.get("python_places"), caller)
            )
        return site

    def _stack_place(self, address: int) -> Site | None:
        # Looks up a place that was recorded with its callers (wrapper/registry/stack_places.h).
        # None: the address is not a record's but a return address.
        table = self.tables.get("stack_places")
        if table is None or not table.entries or not table.entries <= address:
            return None
        number, rest = divmod(address - table.entries, max(1, table.record_size))
        if rest or number >= min(table.count, _MOST_STACKS):
            return None
        decoder = self.layout.decoder(table.record, "stack_place", RawStackPlace, table.record_size)
        raw = decoder.decode(self.memory.read(address, decoder.size))
        return self.site(raw.caller, raw.frames) if raw.frames else None

    def error_class(self, number: int) -> str:
        """Return the name of an error class."""
        known = self.constants.items()
        names = (name for name, value in known if value == number and name.startswith("MPI_ERR_"))
        return next(names, "MPI_ERR_UNKNOWN")

    def attachment(self, record: bytes) -> Attachment:
        """Return the buffer attached for buffered sends."""
        raw = self._attachments.decode(record)
        state = self.enumerator("attachment", raw.state)
        if not state:
            return NOTHING_ATTACHED
        sent = UnconfirmedSends(raw.used, raw.messages, self.site(raw.since, 0), raw.last)
        site = self.site(raw.caller, 0)
        return Attachment(state, raw.size, raw.address, site, sent if raw.last else None)

    def string(self, address: int) -> str:
        """Return a C string; "" at address 0. At most 4096 bytes are read."""
        if not address:
            return ""
        known = self._strings.get(address)
        if known is None:
            known = self.characters(address).decode("utf-8", "backslashreplace")
            self._strings[address] = known
        return known

    def characters(self, address: int) -> bytes:
        """Return the bytes of a C string up to its NUL; at most 4096."""
        result = b""
        while len(result) < _MAX_STRING:
            position = address + len(result)
            piece = self.memory.read(position, _STRING_STEP - position % _STRING_STEP)
            head, nul, _ = piece.partition(b"\0")
            result += head
            if nul:
                break
        self._keep(len(result))
        return result[:_MAX_STRING]

    def integers(self, address: int, count: int, size: int, signed: bool = True) -> tuple[int, ...]:
        """Return an array of `count` integers of `size` bytes.

        Raises MpippError if the count or the size is impossible.
        """
        if size not in _INTEGERS or not 0 <= count * size <= _MAX_ARRAY:
            raise MpippError(f"an array of {count} integers of {size} bytes is recorded")
        if not count:
            return ()
        if count > _FEW:
            self._keep(count)
        if count * size > _SMALL_ARRAY:
            # Read the last number first: a damaged count must fail before all memory is read.
            self.memory.read(address + (count - 1) * size, size)
        return self.unpack(self.memory.read(address, count * size), size, signed)

    def _keep(self, amount: int) -> None:
        # Damaged records may all refer to the same large array. Reading the array for each record
        # would exhaust memory.
        self._kept += amount
        if self._kept > _MOST_KEPT:
            raise MpippError(f"more than {_MOST_KEPT} numbers are recorded: mpipp reads no more")

    def marks(self, address: int, count: int) -> bytes:
        """Return a byte for each of `count` partitions. Raises MpippError if that is impossible."""
        if not 0 <= count <= _MOST_MARKS:
            raise MpippError(f"marks of {count} partitions are recorded")
        return self.memory.read(address, count) if count else b""

    def unpack(self, data: bytes, size: int, signed: bool = True) -> tuple[int, ...]:
        """Return the integers of `size` bytes that fit into `data`."""
        code = _INTEGERS[size] if signed else _INTEGERS[size].upper()
        count = len(data) // size
        if count == 1:  # the usual case for datatypes
            return self._single[code].unpack_from(data)
        return struct.unpack_from(f"{self.byte_order}{count}{code}", data)

    def linked_decoder(self, name: str, make: type[Record]) -> Decoder[Record]:
        """Return a decoder for records that are reached only through addresses in other records.

        The list of tables has a table without entries for these records.
        """
        table = self.tables.get(name)
        if table is None:
            raise MpippError(f"the mpipp wrapper in this program records no {name}")
        return self.layout.decoder(table.record, name, make, table.record_size)

    def object_decoder(self, kind: str, make: type[Record]) -> Decoder[Record]:
        """Return a decoder for the complete records of a kind."""
        table = self.table(kind)
        return self.layout.decoder(table.record, kind, make, table.record_size)

    @property
    def times(self) -> Mapping[int, Mapping[int, int]]:
        """The times of calls, by the address of a channel's history, then by ordinal."""
        if self._times is None:
            self._times = {}
            timed = self.entries("times", RawTimestamp) if "times" in self.tables else ()
            for one in timed:
                self._times.setdefault(one.history, {})[one.ordinal] = one.time
        return self._times

    def entries(self, name: str, make: type[Record]) -> list[Record]:
        """Return all entries of a table that is an array."""
        decoder, data = self._array(name, make)
        return list(decoder.many(data))

    def _array(self, name: str, make: type[Record]) -> tuple[Decoder[Record], bytes]:
        table = self.tables.get(name)
        if table is None:
            raise MpippError(
                f"the mpipp registry at {self.layout.address:#x} has no table of {name}: "
                "use the mpipp that came with the wrapper"
            )
        if table.count > _MAX_ENTRIES or table.count * table.record_size > _MAX_ARRAY:
            raise MpippError(
                f"the mpipp registry at {self.layout.address:#x} is damaged: "
                f"its table of {name} has {table.count} entries of {table.record_size} bytes"
            )
        decoder = self.layout.decoder(table.record, name, make, table.record_size)
        return decoder, self.memory.read(table.entries, table.count * decoder.size)

    def _prepare_headers(self) -> None:
        # In records, a kind of objects is a number: the position of its table among those of
        # objects.
        layout = self.layout
        self._offsets: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        for name, table in self.tables.items():
            header = layout.field(table.record, "object")
            if header is not None:
                self._numbers[name[:-1]] = len(self._numbers)
                self._offsets[name[:-1]] = header.offset
                self._headers = layout.decoder(header.of, "object", RawObject)
        if not self._numbers:
            raise MpippError(f"the mpipp registry at {layout.address:#x} has no tables of objects")


# Cached: all processes of a job have the same names.
@functools.lru_cache(maxsize=4)
def _enumerations(decoder: Decoder[RawEnumerator], data: bytes) -> dict[str, dict[int, str]]:
    result: dict[str, dict[int, str]] = {}
    for raw in decoder.many(data):
        result.setdefault(text(raw.enumeration), {})[raw.value] = text(raw.name)
    return result


@functools.lru_cache(maxsize=4)
def _procedures(decoder: Decoder[RawProcedure], data: bytes) -> list[str]:
    return [text(raw.name) for raw in decoder.many(data)]
