# SPDX-License-Identifier: MIT
"""The threads of one process, the calls that they are in or made last, and broken thread levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mpipp.common.errors import MpippError
from mpipp.model import Breach, Broken, Call, Polls, Thread, ThreadCall
from mpipp.registry.decode.calls import Calls
from mpipp.registry.layout.object_tables import Tables
from mpipp.registry.layout.record_fields import RawBreach, RawThread
from mpipp.registry.layout.record_source import Source

HasLeft = Callable[[int, int, int, int], bool]


class Threads:
    """Those of the registry; `has_left` as `Registry` is given it."""

    def __init__(self, source: Source, tables: Tables, calls: Calls, has_left: HasLeft) -> None:
        self._source = source
        self._tables = tables
        self._calls = calls
        self._has_left = has_left

    def all(self) -> Iterator[Thread | Broken]:
        """The threads that have called MPI."""
        decoder = self._source.object_decoder("thread", RawThread)
        for found in self._tables.records("thread"):
            if isinstance(found, Broken):
                yield found
                continue
            address, record = found
            try:
                raw = decoder.one(record)
                if raw.serial:
                    call = self._calls.active(raw.call) if raw.depth else None
                    marked = self._calls.last(raw) if raw.depth and call is None else None
                    if call and self._has_left(raw.tid, call.frame, raw.stack_start, raw.stack_end):
                        call = None
                    if call and raw.shown and raw.shown_serial == call.serial:
                        call = replace(call, shown=raw.shown)
                    if call:
                        call = self._placed(raw, call)
                    calls, polls = self._polls(raw)
                    known = (raw.serial, raw.tid, raw.self, raw.depth)
                    given = (raw.handle, raw.other_handle)[: raw.handle_count] if marked else ()
                    yield Thread(*known, call, marked, calls, polls, given)
            except MpippError as error:
                yield Broken("thread", address, str(error))

    def _placed(self, raw: RawThread, call: Call) -> Call:
        # With its place where that is not where it was called from.
        if raw.place_serial != call.serial:
            return call
        place = self._source.site(raw.place, 0)
        if place.python:
            place = replace(call.site, python=place.python)
        return replace(call, site=place)

    def _polls(self, raw: RawThread) -> tuple[int, Polls | None]:
        # How many calls it has made; and those of them that found nothing, the last first. One that
        # it enters, or is inside of, is one of them until it finds something: then none has polled.
        made = self._calls.serial(raw.call)
        if not raw.polled or made - raw.polled not in (0, 1):
            return made, None
        call = self._placed(raw, self._calls.call(raw.call))
        polls = Polls(raw.polls_from, call, bool(raw.polls_vary))
        return made, polls if call.facts.polls else None

    def last_calls(self) -> Iterator[ThreadCall]:
        """The last call of each thread, which may have returned since."""
        decoder = self._source.object_decoder("thread", RawThread)
        for found in self._tables.records("thread"):
            if not isinstance(found, Broken):
                raw = decoder.one(found[1])
                if raw.serial:
                    yield self._calls.last(raw)

    def count_of_calls(self) -> int:
        """How many calls of MPI the process has made; 0 if that is not certain."""
        decoder = self._source.object_decoder("thread", RawThread)
        found = (one for one in self._tables.records("thread") if not isinstance(one, Broken))
        return self._source.root().calls + sum(
            self._calls.serial(decoder.one(record).call) for _, record in found
        )

    def breaches(self) -> Iterator[Breach]:
        """The calls that have broken the thread level that MPI provides, as far as is certain."""
        source = self._source
        if "breaches" not in source.tables:
            return
        for raw in source.entries("breaches", RawBreach):
            certain = source.enumerator("breach_state", raw.state) == "certain"
            if certain or self._is_inside(raw.other_tid, raw.other_serial):
                yield Breach(
                    source.enumerator("thread_level", raw.level),
                    ThreadCall(
                        source.procedure(raw.procedure), raw.tid, source.site(raw.caller, 0)
                    ),
                    ThreadCall(
                        source.procedure(raw.other_procedure),
                        raw.other_tid,
                        source.site(raw.other_caller, 0),
                    ),
                )

    def _is_inside(self, tid: int, serial: int) -> bool:
        return any(
            isinstance(thread, Thread)
            and thread.tid == tid
            and thread.call is not None
            and thread.call.serial == serial
            for thread in self.all()
        )
