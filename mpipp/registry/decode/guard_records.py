# SPDX-License-Identifier: MIT
"""Decodes the records of guarded buffers of pending operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.model import Coverage, Touch
from mpipp.registry.layout.record_fields import RawCoverage, RawTouch
from mpipp.registry.layout.record_source import Source

_MOVED = {"moved": True, "not moved": False}


class Switch(NamedTuple):
    """A switch that makes the guard of a call ignore its time limit."""

    caller: int  # return address of the call; 0: the switch is for all calls
    procedure: str
    address: int  # address of the 4 bytes that a debugger sets to 1


def touches(source: Source) -> Iterator[Touch]:
    """Yield loads and stores that were not reported yet. Raises MpippError."""
    if "touches" not in source.tables:
        return
    for raw in source.entries("touches", RawTouch):
        if source.enumerator("touch_state", raw.state) == "whole":
            # A site has a return address, so its line is looked up one byte before it.
            site = source.site(raw.instruction + 1, raw.frames)
            moved = _MOVED.get(source.enumerator("moved", raw.moved))
            stores = bool(raw.stores)
            yield Touch(raw.serial, raw.address, stores, raw.tid, site, moved, bytes=raw.bytes)


def covers(source: Source) -> Iterator[Coverage]:
    """Yield the guard coverage of buffers, for each place of a call. Raises MpippError."""
    if "covers" not in source.tables:
        return
    for raw in source.entries("covers", RawCoverage):
        counts = (raw.pages, raw.compared, raw.skipped, raw.nothing, raw.accesses)
        if any(counts):
            procedure = source.procedure(raw.procedure) if raw.caller else ""
            yield Coverage(procedure, source.site(raw.caller, 0), *counts)


def switches(source: Source) -> Iterator[Switch]:
    """Yield a switch for each call; the last one is for all calls. Raises MpippError."""
    table = source.tables.get("covers")
    field = source.layout.field(table.record, "always") if table is not None else None
    if table is None or field is None:
        return
    for number, raw in enumerate(source.entries("covers", RawCoverage)):
        if raw.caller or number + 1 == table.count:
            procedure = source.procedure(raw.procedure) if raw.caller else ""
            place = table.entries + number * table.record_size
            yield Switch(raw.caller, procedure, place + field.offset)
