# SPDX-License-Identifier: MIT
"""Decodes the threads of one process: active and last calls, and violated thread levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mpipp.common.errors import MpippError
from mpipp.model import Breach, Broken, Call, Polls, Thread, ThreadCall
from mpipp.registry.decode.calls import Calls
from mpipp.registry.layout.object_tables import Tables
from mpipp.registry.layout.record_fields import RawBreach, RawPastCall, RawThread
from mpipp.registry.layout.record_source import Source

_MOST_PAST = 1 << 10  # completed calls of a thread

HasLeft = Callable[[int, int, int, int], bool]


class Threads:
    """The threads in the registry; `has_left` as in `Registry`."""

    def __init__(self, source: Source, tables: Tables, calls: Calls, has_left: HasLeft) -> None:
        self._source = source
        self._tables = tables
        self._calls = calls
        self._has_left = has_left

    def all(self) -> Iterator[Thread | Broken]:
        """Yield the threads that have called MPI."""
        decoder = self._source.object_decoder("thread", RawThread)
        for found in self._tables.records("thread"):
            if isinstance(found, Broken):
                yield found
                continue
            address, record = found
            try:
                raw = decoder.decode(record)
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
        # Sets the call's place, if it is not the return address of the call.
        if raw.place_serial != call.serial:
            return call
        place = self._source.site(raw.place, 0)
        if place.python:
            place = replace(call.site, python=place.python)
        return replace(call, site=place)

    def _polls(self, raw: RawThread) -> tuple[int, Polls | None]:
        # Returns the thread's number of calls, and its last polls without a result. An active call
        # counts as a poll until it has a result; then there are no polls.
        made = self._calls.serial(raw.call)
        if not raw.polled or made - raw.polled not in (0, 1):
            return made, None
        call = self._placed(raw, self._calls.call(raw.call))
        polls = Polls(raw.polls_from, call, bool(raw.polls_vary))
        return made, polls if call.facts.polls else None

    def completed(self, tid: int) -> Iterator[Call]:
        """Yield the kept completed calls of a thread: the last one, then the last of each place.

        The last call is missing if it was not recorded. If no place keeps it, its place is its
        return address. Raises MpippError if the records are invalid.
        """
        raw = self._raw(tid)
        if raw is None or raw.depth:
            return
        past = sorted(self._past(raw), key=lambda call: call.serial, reverse=True)
        last = self._calls.completed(raw.call)
        if last is not None and not (past and past[0].serial == last.serial):
            yield self._placed(raw, last)
        yield from past

    def _raw(self, tid: int) -> RawThread | None:
        decoder = self._source.object_decoder("thread", RawThread)
        for found in self._tables.records("thread"):
            if not isinstance(found, Broken):
                raw = decoder.decode(found[1])
                if raw.serial and raw.tid == tid:
                    return raw
        return None

    def _past(self, raw: RawThread) -> Iterator[Call]:
        if not raw.past_calls:
            return
        if raw.past_count > _MOST_PAST:
            raise MpippError(f"a thread is recorded with {raw.past_count} past calls")
        decoder = self._source.linked_decoder("past_calls", RawPastCall)
        data = self._source.memory.read(raw.past_calls, raw.past_count * decoder.size)
        for past in decoder.many(data):
            if past.place:
                serials = self._source.unpack(past.serials, 8, signed=False)
                call = self._calls.past(past.call, serials)
                yield replace(call, site=self._source.site(past.place, 0))

    def last_calls(self) -> Iterator[ThreadCall]:
        """Yield the last call of each thread; it may have returned."""
        decoder = self._source.object_decoder("thread", RawThread)
        for found in self._tables.records("thread"):
            if not isinstance(found, Broken):
                raw = decoder.decode(found[1])
                if raw.serial:
                    yield self._calls.last(raw)

    def count_of_calls(self) -> int:
        """Return the number of MPI calls that the process has made; 0 if that is uncertain."""
        decoder = self._source.object_decoder("thread", RawThread)
        found = (one for one in self._tables.records("thread") if not isinstance(one, Broken))
        return self._source.root().calls + sum(
            self._calls.serial(decoder.decode(record).call) for _, record in found
        )

    def breaches(self) -> Iterator[Breach]:
        """Yield the calls that threads have certainly made although MPI does not allow them."""
        source = self._source
        if "breaches" not in source.tables:
            return
        for raw in source.entries("breaches", RawBreach):
            certain = source.enumerator("breach_state", raw.state) == "certain"
            if certain or self._was_inside(raw):
                yield Breach(
                    source.enumerator("breach_kind", raw.kind),
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

    def _was_inside(self, breach: RawBreach) -> bool:
        # Returns whether the other thread is still in its call, or has returned from it and made no
        # other since. If it has left the call by a jump, the record may still show the call.
        thread = self._raw(breach.other_tid)
        if thread is None or thread.serial != breach.other_thread:
            return False
        if self._calls.serial(thread.call) != breach.other_serial:
            return False
        return not thread.depth or any(
            isinstance(one, Thread) and one.tid == breach.other_tid and one.call is not None
            for one in self.all()
        )
