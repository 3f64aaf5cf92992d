# SPDX-License-Identifier: MIT
"""Build the bytes of a registry, so that tests can have any layout, byte order and damage.

Field names come from the wrapper's records.def. Offsets and sizes differ from the wrapper's on
purpose: the reader must use the published layout.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mpipp.model import KINDS
from mpipp.registry.layout.field_table import MAGIC
from mpipp.registry.memory.address_space import BytesMemory

DEFINITIONS = Path(__file__).resolve().parents[3] / "wrapper" / "registry"

COMBINERS = tuple(
    re.findall(r"^COMBINER\((\w+)\)", (DEFINITIONS / "combiners.def").read_text(), re.M)
)
PROCEDURES = ("MPI_Send", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Reduce_scatter", "MPI_Irecv")
CONSTANTS = {"MPI_ANY_SOURCE": -2, "MPI_PROC_NULL": -1, "MPI_ANY_TAG": -1, "MPI_IN_PLACE": -1}
BITS = ("flag", "access", "present", "epoch")

_TYPES = {"UNSIGNED": 0, "SIGNED": 1, "CHARACTERS": 2}
_NARROW = {"kind", "flags", "references", "fint", "combiner", "rank", "inter", "state", "flavor"}
_CHARACTERS = {"lock_ranks": 32, "lock_exclusive": 32, "library_version": 64, "built_with": 64}
_REPEATED = {"buffers": 4, "vectors": 2}
_SIZE = 1 << 16


class Image:
    """A registry under construction. `finish()` returns its memory."""

    def __init__(self, byte_order: str = "<", base: int = 0x7F00_0000_0000) -> None:
        self.byte_order = byte_order
        self.base = base
        self.bytes = bytearray(_SIZE)
        self._end = 0x1000
        self.records: list[str] = []  # record names; the index is their number
        self.fields: dict[str, list[tuple[str, int, int, str, int]]] = {}
        self.sizes: dict[str, int] = {}
        self.enumerators: dict[str, list[str]] = {}
        self._read_definitions()
        self.tables: dict[str, dict[str, int]] = {}
        self.objects: dict[str, list[tuple[int, int]]] = {kind: [] for kind in KINDS}
        self.chunks = dict.fromkeys([*KINDS, "thread"], 0)  # addresses of the first chunks
        # (record, field) to leave out of the published layout.
        self.hidden: set[tuple[str, str]] = set()

    def _read_definitions(self) -> None:
        text = (DEFINITIONS / "records.def").read_text()
        row = re.compile(
            r"^(RECORD|FIELD|NESTED)\((\w+)(?:, (\w+), (\w+))?\)"
            r'|^ENUMERATOR\((\w+), \w+, "([^"]+)"\)',
            re.M,
        )
        members: dict[str, list[tuple[str, str, str]]] = {}
        for macro, record, name, kind, enumeration, value in row.findall(text):
            if macro == "RECORD":
                members[record] = []
            elif macro:
                members[record].append((macro, name, kind))
            elif enumeration != "combiner":
                self.enumerators.setdefault(enumeration, []).append(value)
        self.enumerators["combiner"] = list(COMBINERS)
        self.records = list(members)
        for record in members:
            self._lay_out(record, members)

    def _lay_out(self, record: str, members: dict[str, list[tuple[str, str, str]]]) -> None:
        if record in self.sizes:
            return
        offset = 64 if record == "registry" else 0
        fields = []
        # Reverse order, with a hole at the start of all records except the root.
        for macro, name, kind in reversed(members[record]):
            if record == "registry" and name == "magic":
                continue
            if macro == "NESTED":
                self._lay_out(kind, members)
                size = self.sizes[kind] * _REPEATED.get(name, 1)
                fields.append((name, 3, offset, kind, size))
            else:
                size = 4 if name in _NARROW else 8
                if kind == "CHARACTERS":
                    size = _CHARACTERS.get(name, 32)
                fields.append((name, _TYPES[kind], offset, "", size))
            offset += size
        self.fields[record] = fields
        self.sizes[record] = offset + 8

    def allocate(self, data: bytes, gap: int = 0) -> int:
        """Add bytes to the image, and return their address."""
        offset = self._end
        self._end += (len(data) + gap + 15) // 16 * 16
        self.bytes.extend(bytes(max(0, self._end - len(self.bytes))))
        self.bytes[offset : offset + len(data)] = data
        return self.base + offset

    def string(self, text: str) -> int:
        return self.allocate(text.encode() + b"\0")

    def integers(self, values: Iterable[int], code: str = "q") -> int:
        values = list(values)
        return self.allocate(struct.pack(f"{self.byte_order}{len(values)}{code}", *values))

    def pack(self, record: str, /, **values: int | bytes) -> bytes:
        """The bytes of a record. Missing fields are 0."""
        data = bytearray(b"\xaa" * self.sizes[record])  # the reader must not use unpublished bytes
        for name, kind, offset, _, size in self.fields[record]:
            value = values.pop(name, 0)
            if isinstance(value, int):
                value = (value % (1 << 8 * size)).to_bytes(
                    size, "little" if self.byte_order == "<" else "big"
                )
            assert kind >= 2 or len(value) == size
            data[offset : offset + size] = value.ljust(size, b"\0")
        assert not values, f"{record} has no {list(values)}"
        return bytes(data)

    def value(self, enumeration: str, *names: str) -> int:
        """The published value of a name; several names are combined as bits."""
        known = self.enumerators[enumeration]
        if enumeration in BITS:
            return sum(1 << known.index(name) for name in names)
        return known.index(names[0]) + (enumeration not in ("combiner", "call_state", "topology"))

    def object(
        self,
        kind: str,
        handle: int,
        flags: Sequence[str] = (),
        serial: int | None = None,
        fint: int = 0,
        name: str = "",
        site: tuple[int, int] = (0, 0),
        **values: int | bytes,
    ) -> int:
        """Add an object, and return the address of its record."""
        header = self.pack(
            "object",
            handle=handle,
            serial=len(self.objects[kind]) + 1 if serial is None else serial,
            kind=KINDS.index(kind),
            flags=self.value("flag", *flags),
            fint=fint,
            name=self.string(name) if name else 0,
            caller=site[0],
            frames=site[1],
        )
        # Each object gets a chunk of its own, to test the walk from chunk to chunk.
        head = self.pack("chunk", next=self.chunks[kind], used=1, capacity=3)
        data = head + self.pack(kind, object=header, **values)
        self.chunks[kind] = self.allocate(data, gap=2 * self.sizes[kind])
        record = self.chunks[kind] + len(head)
        self.objects[kind].append((handle, record))
        return record

    def change(self, address: int, record: str, /, **values: int) -> None:
        """Overwrite fields of a record in the image."""
        for name, _, offset, _, size in self.fields[record]:
            if name in values:
                start = address - self.base + offset
                value = values[name]
                self.bytes[start : start + size] = (
                    value.to_bytes(size, "little")
                    if self.byte_order == "<"
                    else value.to_bytes(size, "big")
                )

    def thread(self, /, **values: int | bytes) -> None:
        """Add a thread."""
        head = self.pack("chunk", next=self.chunks["thread"], used=1, capacity=1)
        self.chunks["thread"] = self.allocate(head + self.pack("thread", **values))

    def datatype(
        self,
        handle: int,
        combiner: str,
        arguments: Sequence[int] = (),
        components: Sequence[int] = (),
        extents: Sequence[int] = (4, 0, 4, 0, 4),
        **header: Any,
    ) -> int:
        size, lb, extent, true_lb, true_extent = extents
        return self.object(
            "datatype",
            handle,
            combiner=self.value("combiner", combiner),
            argument_count=len(arguments),
            arguments=self.integers(arguments),
            component_count=len(components),
            components=self.integers(components, "Q"),
            size=size,
            lb=lb,
            extent=extent,
            true_lb=true_lb,
            true_extent=true_extent,
            **header,
        )

    def call(
        self,
        procedure: str,
        buffers: Sequence[bytes] = (),
        vectors: Sequence[bytes] = (),
        present: Sequence[str] = (),
        state: str = "active",
        **values: int,
    ) -> bytes:
        return self.pack(
            "call",
            procedure=PROCEDURES.index(procedure),
            state=self.value("call_state", state),
            present=self.value("present", *present),
            buffer_count=len(buffers),
            buffers=b"".join(buffers),
            vectors=b"".join(vectors),
            **values,
        )

    def finish(self, /, handle_size: int = 8, capacity: int = 16, **root: int) -> BytesMemory:
        """Write the tables and the root at `base`, and return the memory of the image."""
        for kind in KINDS:
            self._object_table(kind, handle_size if kind != "file" else 8, capacity)
        self.tables["threads"] = {
            "record": self.records.index("thread"),
            "record_size": self.sizes["thread"],
            "chunks": self.chunks["thread"],
        }
        self._array("enumerators", "enumerator", self._all_enumerators())
        self._array("procedures", "procedure", [{"name": p.encode()} for p in PROCEDURES])
        self._array(
            "constants",
            "constant",
            [{"name": n.encode(), "value": v} for n, v in CONSTANTS.items()],
        )
        self._array("inputs", "input", [])
        self._array("channels", "channel", [])
        self.write_root(handle_size, **root)
        return self.memory()

    def memory(self) -> BytesMemory:
        self.bytes.extend(bytes(-len(self.bytes) % 4096))
        return BytesMemory({self.base: self.bytes})

    def _all_enumerators(self) -> list[dict[str, int | bytes]]:
        return [
            {
                "enumeration": enumeration.encode(),
                "name": name.encode(),
                "value": self.value(enumeration, name),
            }
            for enumeration, names in self.enumerators.items()
            for name in names
        ]

    def _array(self, table: str, record: str, rows: Sequence[dict[str, int | bytes]]) -> None:
        data = b"".join(self.pack(record, **row) for row in rows)
        self.tables[table] = {
            "record": self.records.index(record),
            "record_size": self.sizes[record],
            "entries": self.allocate(data),
            "count": len(rows),
        }

    def _object_table(self, kind: str, handle_size: int, capacity: int) -> None:
        self.tables[kind + "s"] = {
            "record": self.records.index(kind),
            "record_size": self.sizes[kind],
            "chunks": self.chunks[kind],
            "slots": self._slots(kind, capacity),
            "capacity": capacity,
            "handle_size": handle_size,
        }

    def _slots(self, kind: str, capacity: int) -> int:
        slots = [(0, 0)] * capacity
        for handle, record in self.objects[kind]:
            index = (handle * 0x9E3779B97F4A7C15 % (1 << 64)) >> 32
            while slots[index % capacity][1]:
                index += 1
            slots[index % capacity] = (handle, record)
        return self.allocate(b"".join(self.pack("slot", handle=h, record=r) for h, r in slots))

    def write_root(self, /, handle_size: int = 8, **changes: int) -> None:
        """Write the root and its lists; `changes` replaces its first fields."""
        fields = self.field_table()
        tables = b"".join(
            self.pack("table", name=name.encode(), **values) for name, values in self.tables.items()
        )
        start = {
            "major": 1,
            "minor": 0,
            "mark": 0x01020304,
            "size": self.sizes["registry"],
            "self": self.base,
            "fields": self.allocate(b"".join(fields)),
            "field_count": len(fields),
            "field_size": 48,
            "tables": self.allocate(tables),
            "table_count": len(self.tables),
            "table_size": self.sizes["table"],
        }
        start.update(changes)
        root = self.pack(
            "registry",
            handle_size=handle_size,
            flavor=self.value("flavor", "MPICH"),
            status=self.value("status", "started"),
            pid=4711,
            world_rank=1,
            world_size=2,
            standard=4,
            standard_minor=1,
            library_version=b"A library",
            built_with=b"mpicc",
        )
        head = struct.pack(f"{self.byte_order}8sIIIIQQIIQII", MAGIC, *start.values())
        self.bytes[: len(root)] = head + root[len(head) :]

    def field_table(self) -> list[bytes]:
        rows = []
        for number, record in enumerate(self.records):
            whole = ("", 3, 0, record, self.sizes[record])
            for name, kind, offset, of, size in [whole, *self.fields[record]]:
                if (record, name) in self.hidden:
                    continue
                row = struct.pack(
                    f"{self.byte_order}24sHHHHII",
                    name.encode(),
                    number,
                    kind,
                    self.records.index(of) if of else 0,
                    0,
                    offset,
                    size,
                )
                rows.append(row + b"\xaa" * 8)  # entries are larger than the reader knows
        return rows
