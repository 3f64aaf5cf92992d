# SPDX-License-Identifier: MIT
"""Decodes datatype records as type-trees."""

from __future__ import annotations

from typing import Any, NamedTuple

from mpipp.common.errors import MpippError
from mpipp.datatypes import predefined
from mpipp.model import Broken, DatatypeRecord, Header
from mpipp.registry.layout.record_fields import RawDatatype
from mpipp.registry.layout.record_source import Source
from mpipp.typetree import ARGUMENTS, Datatype, Extents

# The argument that has the length of an array argument.
LENGTHS = {
    "blocklengths": "count",
    "displacements": "count",
    "sizes": "ndims",
    "subsizes": "ndims",
    "starts": "ndims",
    "gsizes": "ndims",
    "distribs": "ndims",
    "dargs": "ndims",
    "psizes": "ndims",
}
_DFLT_DARG = -1  # the wrapper's value for MPI_DISTRIBUTE_DFLT_DARG


_LARGEST_BASIC = 1024  # bytes; predefined datatypes are far smaller
_SMALLEST_PAIR = 6  # bytes of MPI_SHORT_INT, as packed


class _Begun(NamedTuple):
    # A datatype whose record was read, but perhaps not yet those of its components.
    header: Header
    raw: RawDatatype
    components: tuple[int, ...]  # addresses of their records
    arguments: tuple[int, ...]


class Datatypes:
    """Decodes datatypes by the address of their record, each once until `invalidate`."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._decoder = source.object_decoder("datatype", RawDatatype)
        self._known: dict[int, DatatypeRecord | Broken] = {}

    def invalidate(self) -> None:
        """Forget all datatypes, because the target has run."""
        self._known.clear()

    def at(self, address: int) -> DatatypeRecord | Broken:
        """Return the datatype whose record is at `address`, with all its components."""
        known = self._known
        if address in known:
            return known[address]
        # Components first, without recursion: a chain of constructors may be very long. A datatype
        # in `begun` but not in `known` is in progress, so meeting it again is a cycle.
        begun: dict[int, _Begun] = {}
        pending = [address]
        while pending:
            current = pending[-1]
            if current not in known:
                try:
                    if current not in begun:
                        begun[current] = self._begin(current)
                        unknown = [c for c in begun[current].components if c not in known]
                        if not begun.keys().isdisjoint(unknown):
                            raise MpippError("the datatype is recorded as a component of itself")
                        if unknown:
                            pending.extend(unknown)
                            continue
                    known[current] = self._finish(begun[current])
                except MpippError as error:
                    known[current] = Broken("datatype", current, str(error))
            pending.pop()
        return known[address]

    def combiner(self, address: int) -> str:
        """Return only the combiner of a datatype, without caching it. Raises MpippError."""
        raw = self._decoder.decode(self._source.memory.read(address, self._decoder.size))
        return self._source.enumerator("combiner", raw.combiner)

    def _begin(self, address: int) -> _Begun:
        source = self._source
        data = source.memory.read(address, self._decoder.size)
        header = source.header("datatype", address, data)
        raw = self._decoder.decode(data)
        components = self._integers(address, data, raw.components, raw.component_count, False)
        arguments = self._integers(address, data, raw.arguments, raw.argument_count)
        return _Begun(header, raw, components, arguments)

    def _integers(
        self, record: int, data: bytes, address: int, count: int, signed: bool = True
    ) -> tuple[int, ...]:
        # Reads an array. A small array lies in the record itself, which was already read.
        offset = address - record
        if 0 <= offset <= offset + 8 * count <= len(data):
            return self._source.unpack(data[offset : offset + 8 * count], 8, signed)
        return self._source.integers(address, count, 8, signed)

    def _finish(self, begun: _Begun) -> DatatypeRecord:
        header, raw = begun.header, begun.raw
        components = []
        for component in begun.components:
            if not component:
                raise MpippError("one of its components could not be recorded")
            record = self._known[component]
            if isinstance(record, Broken):
                raise MpippError(f"its component at {component:#x} is damaged: {record.reason}")
            components.append(record.tree)
        combiner = self._source.enumerator("combiner", raw.combiner)
        if not components and not _possible(header.name, raw.size):
            raise MpippError(f"{header.name or combiner} is recorded with {raw.size} bytes")
        reported = Extents(raw.size, raw.lb, raw.extent, raw.true_lb, raw.true_extent)
        tree = Datatype(
            combiner,
            self._arguments(combiner, begun.arguments),
            tuple(components),
            header.name,
            reported,
        )
        committed, large = "committed" in header.flags, "large count" in header.flags
        record = DatatypeRecord(header, tree, committed, large)
        tree.origin = record
        return record

    def _arguments(self, combiner: str, values: tuple[int, ...]) -> dict[str, Any]:
        # Names the constructor's arguments, which are stored in order, with their arrays expanded.
        names = ARGUMENTS.get(combiner, ())
        if len(names) == len(values) and LENGTHS.keys().isdisjoint(names):
            return dict(zip(names, values))
        result: dict[str, Any] = {}
        position = 0
        for name in names:
            length = max(result[LENGTHS[name]], 0) if name in LENGTHS else 1
            taken = values[position : position + length]
            position += length
            if len(taken) != length:
                break
            result[name] = self._meaning(name, taken) if name in LENGTHS else taken[0]
        if position != len(values):
            raise MpippError(
                f"a datatype made by {combiner} is recorded with {len(values)} argument values"
            )
        if "order" in result:
            result["order"] = self._source.enumerator("order", result["order"])
        return result

    def _meaning(self, name: str, values: tuple[int, ...]) -> tuple[str | int | None, ...]:
        if name == "dargs":
            return tuple(None if value == _DFLT_DARG else value for value in values)
        if name == "distribs":
            return tuple(self._source.enumerator("distribution", value) for value in values)
        return values


def _possible(name: str, size: int) -> bool:
    # Tests the size of a basic datatype. Libraries report 0 bytes for unsupported
    # datatypes.
    least = _SMALLEST_PAIR if predefined.is_pair(name) else 0
    return size == 0 or least <= size <= _LARGEST_BASIC
