# SPDX-License-Identifier: MIT
"""The registry of one process: objects by handle, lists of objects, and all else that it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Union

from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.model import (
    Breach,
    Broken,
    Call,
    Channel,
    Comm,
    Coverage,
    DatatypeRecord,
    Header,
    KeptCall,
    KeyvalPlace,
    Object,
    Outline,
    ProcessInfo,
    Provoked,
    Request,
    ReturnedCode,
    Stretch,
    Thread,
    ThreadCall,
    Touch,
)
from mpipp.registry.decode import guard_records, keyvals, perturbations, returned_codes
from mpipp.registry.decode.calls import Calls
from mpipp.registry.decode.datatypes import Datatypes
from mpipp.registry.decode.objects import Objects
from mpipp.registry.decode.process_info import process_info
from mpipp.registry.decode.threads import HasLeft, Threads
from mpipp.registry.layout.object_tables import Tables
from mpipp.registry.layout.record_fields import RawObject, RawRoot
from mpipp.registry.layout.record_source import Source
from mpipp.registry.ledger.channel_history import History
from mpipp.registry.ledger.decode_calls import Ledger
from mpipp.registry.memory.address_space import Memory

if TYPE_CHECKING:
    from mpipp.registry.rma_log.events import Log

_MAX_SHARING = 1 << 10  # limit of requests with one handle

Known = Union[Object, Broken]


class Registry:
    """Reads the registry whose root is at `address`.

    Raises MpippError when there is none or this mpipp cannot read it. Call `invalidate` whenever
    the process has run or its memory was changed; what was returned before stays as it was.

    Kinds are those of `mpipp.model.KINDS`. A record that makes no sense comes as `Broken`.

    Args:
        has_left: whether a thread (`tid`, as the process knows it) has certainly left a
            function. Its frame is at an address, on the stack from one address to another. For
            calls that the program has left by a jump: the wrapper sees it only at the thread's
            next call.
    """

    def __init__(
        self,
        memory: Memory,
        address: int,
        has_left: HasLeft = lambda tid, frame, start, end: False,
    ) -> None:
        self._source = source = Source(memory, address)
        self.address = address
        self.byte_order = source.byte_order  # "<" or ">"
        self._tables = Tables(source)
        self._datatypes = Datatypes(source)
        self._calls = Calls(source, self._datatypes, self._find_datatype)
        self._objects = Objects(source, self._calls)
        self._threads = Threads(source, self._tables, self._calls, has_left)
        self._ledger = Ledger(source, self._datatypes)
        self._known: dict[tuple[str, int], Known] = {}
        self._told: tuple[RawRoot, ProcessInfo] | None = None

    def invalidate(self) -> None:
        """The process has run, or its memory was changed: read everything anew."""
        self._known.clear()
        self._tables.invalidate()
        self._datatypes.invalidate()
        self._source.invalidate()

    @property
    def info(self) -> ProcessInfo:
        """The MPI library and the process."""
        root = self._source.root()
        if self._told is None or root is not self._told[0]:
            self._told = root, process_info(self._source, root)
        return self._told[1]

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are no handles, by name: MPI_ANY_SOURCE, MPI_BOTTOM ..."""
        return self._source.constants

    def constant_name(self, value: int, *names: str) -> str | None:
        """The first of `names` that has this value; addresses and signed values compare equal."""
        for name in names:
            known = self._source.constants.get(name)
            if known is not None and (known - value) % (1 << 64) == 0:
                return name
        return None

    def find(self, kind: str, handle: int, place: int | None = None) -> Known | None:
        """The object that has the handle now, or had it last; None if there is none.

        `handle` may be signed, or wider than a handle. Several requests may share a handle: then it
        is the one whose handle MPI stored at the address `place`, else the oldest.
        """
        address = self._tables.place(kind, handle)
        if address is None:
            return None
        found = self.at(kind, address)
        if place is not None and isinstance(found, Request) and found.newer:
            return self._stored_at(place, found)
        return found

    def passed_requests(self, call: Call, most: int) -> list[tuple[Known, ...]]:
        """The requests that a call waits for, tests or starts, as its array has them now.

        At most the first `most`. For each handle this is its request, or none if it is unknown. If
        the program has moved the handle since MPI stored it, it is every request with the handle.
        For a call that waits for one request it has all that the call got. Raises MpippError if the
        array cannot be read.
        """
        handles = self.passed_handles(call, most)
        if call.requests is None:
            return []
        size = self._source.handle_size("request")
        places = range(call.requests, call.requests + len(handles) * size, size)
        found = [self.find("request", handle, at) for handle, at in zip(handles, places)]
        return self._distinguished(found, places)

    def _distinguished(
        self, given: Sequence[Known | None], places: Sequence[int]
    ) -> list[tuple[Known, ...]]:
        result: list[tuple[Known, ...]] = [() if known is None else (known,) for known in given]
        moved: dict[int, list[int]] = {}  # by the oldest that has the handle
        stored = set()
        for index, (known, place) in enumerate(zip(given, places)):
            if isinstance(known, Request) and known.call.requests == place:
                stored.add(known.header.record)
            elif isinstance(known, Request) and known.newer:
                moved.setdefault(known.header.record, []).append(index)
        for indices in moved.values():
            oldest = given[indices[0]]
            assert isinstance(oldest, Request)
            others = [r for r in self._sharing(oldest) if r.header.record not in stored]
            for number, index in enumerate(indices):
                all_here = len(others) == len(indices)
                result[index] = (others[number],) if all_here else tuple(others)
        return result

    def passed_handles(self, call: Call, most: int) -> tuple[int, ...]:
        """The handles of the requests that a call waits for, tests or starts."""
        if call.requests is None:
            return ()
        count = max(0, min(call.request_count, most))
        size = self._source.handle_size("request")
        try:
            place = call.before or call.requests
            return self._source.integers(place, count, size, signed=False)
        except UnreadableMemory:  # the program's own
            if not call.shown:
                raise
            return self._source.integers(call.shown, count, size, signed=False)

    def stale_requests(self, call: Call, most: int) -> Iterator[tuple[int, Request]]:
        """The requests that were completed before a call was passed copies of their handles, by the
        number of the copy. Raises MpippError when the array cannot be read.

        A call that completes or frees a request resets its variable, before the request is recorded
        as completed. A handle that is still there was completed before. This does not hold if some
        requests are not recorded, because MPI may have reused the handle.
        """
        info = self.info
        if call.requests is None or info.unseen or info.dropped or info.concurrent:
            return
        count, size = max(0, min(call.request_count, most)), self._source.handle_size("request")
        handles = self._source.integers(call.requests, count, size, signed=False)
        for number, handle in enumerate(handles):
            one = self.find("request", handle)
            if isinstance(one, Request) and one.header.is_ended and not one.header.null:
                yield number, one

    def at(self, kind: str, address: int) -> Known:
        """The object of a kind whose record is at `address`, as in `Header.record`."""
        if kind == "datatype":
            return self._datatypes.at(address)
        known = self._known.get((kind, address))
        if known is None:
            known = self._known[kind, address] = self._decode(kind, address)
        return known

    def objects(self, kind: str, ended: bool = False) -> Iterator[Known]:
        """Every object of a kind, with `ended` also those that no handle denotes any more."""
        for found in self._tables.raw_headers(kind, ended):
            yield found if isinstance(found, Broken) else self.at(kind, found[0])

    def headers(self, kind: str, ended: bool = False) -> Iterator[Header | Broken]:
        """As `objects`, but only what is common to all: of 10^6 datatypes nothing is kept."""
        for found in self._tables.raw_headers(kind, ended):
            yield found if isinstance(found, Broken) else self._header(kind, *found)

    def record_count(self, kind: str) -> int:
        """The number of records of a kind, with those of freed objects."""
        return self._source.table(kind).count

    def broken_headers(self, kind: str) -> Iterator[Broken]:
        """The objects of `headers` that cannot be decoded."""
        for found in self._tables.raw_headers(kind, ended=False):
            if not isinstance(found, Broken):
                if self._source.is_readable(kind, found[1]):
                    continue
                header = self._header(kind, *found)
                if isinstance(header, Broken):
                    yield header
            else:
                yield found

    def _header(self, kind: str, address: int, raw: RawObject) -> Header | Broken:
        try:
            return self._source.header_of(kind, address, raw)
        except MpippError as error:
            return Broken(kind, address, str(error))

    def is_zero(self, address: int) -> bool:
        """Return whether the word at an address of the program's own is there, and 0."""
        try:
            return self._source.integers(address, 1, 8) == (0,)
        except UnreadableMemory:
            return False

    def combiner(self, address: int) -> str:
        """That of the datatype whose record is at `address`. Raises MpippError."""
        return self._datatypes.combiner(address)

    def by_fint(self, kind: str, fint: int) -> Known | None:
        """The object whose Fortran INTEGER handle this is, if it is not ended."""
        if self._source.handle_size(kind) == 4:
            # Handles are INTEGERs themselves (MPICH), also those whose INTEGER is not recorded.
            found = self.find(kind, fint)
            return None if found is None or _ended(found) else found
        address = self._tables.by_fint(kind, fint)
        return None if address is None else self.at(kind, address)

    def pending_requests(self) -> Iterator[Request | Broken]:
        """The requests whose operation has been started and not completed."""
        for request in self.objects("request"):
            if isinstance(request, Broken) or (isinstance(request, Request) and request.pending):
                yield request

    def freed_active_requests(self) -> Iterator[Request]:
        """The requests that were freed while their operations were active, and may continue."""
        wanted = self._source.value("flag", "given up")
        for found in self._tables.records("request"):
            if isinstance(found, Broken):
                continue
            raw = self._source.raw_header("request", found[1])
            if raw.serial and raw.flags & wanted:
                request = self.at("request", found[0])
                if isinstance(request, Request) and request.was_freed_active:
                    yield request

    def threads(self) -> Iterator[Thread | Broken]:
        """The threads that have called MPI."""
        return self._threads.all()

    def last_calls(self) -> Iterator[ThreadCall]:
        """The last call of each thread, which may have returned since."""
        return self._threads.last_calls()

    def completed_calls(self, tid: int) -> Iterator[Call]:
        """The last completed call of a thread (`tid`, as the process knows it), then the last with
        buffers from each place.

        The first may be missing, and so may calls that a request or a window's log keeps.
        Raises MpippError when they make no sense.
        """
        return self._threads.completed(tid)

    @property
    def count_of_calls(self) -> int:
        """The number of MPI calls that the process has made; 0 if that is uncertain."""
        return self._threads.count_of_calls()

    def breaches(self) -> Iterator[Breach]:
        """The calls that have broken the thread level that MPI provides, as far as is certain."""
        return self._threads.breaches()

    def returned_codes(self) -> Iterator[ReturnedCode]:
        """The error codes that MPI returned to the program, each place once."""
        return returned_codes.returned_codes(self._source)

    def keyval_places(self) -> Iterator[KeyvalPlace]:
        """The places that create keys of attributes."""
        return keyvals.places(self._source)

    def recorded_calls(self, comm: Comm, channel: Channel) -> list[Stretch]:
        """The calls that were counted in a channel of a communicator, as far as they are kept.

        Raises MpippError when what is recorded of them makes no sense.
        """
        if not channel.history:
            return []
        history = self.history(comm, channel)
        return history.more(channel.period, history.last(channel))

    def times(self, channel: Channel) -> Mapping[int, int]:
        """The times of a channel's calls, by ordinal, in nanoseconds on the node's clock.

        For repeated calls the first is known, and for all only the last few thousand. Sends and
        receives are timed when they begin, collective calls when they have returned.
        """
        return self._source.times.get(channel.history, {}) if channel.history else {}

    def kinds(self, comm: Comm, channel: Channel) -> list[KeptCall]:
        """The different calls among these, also if their ordinals are uncertain."""
        return self.history(comm, channel).kinds() if channel.history else []

    def outline(self, comm: Comm, channel: Channel) -> Outline | None:
        """The outline of what `recorded_calls` decodes; None if it is not that plain."""
        return self.history(comm, channel).outline(channel.period) if channel.history else None

    def history(self, comm: Comm, channel: Channel, grows: bool = False) -> History:
        """The ledger of a channel with a history; grows: the process runs meanwhile."""
        unlisted = "unlisted" in comm.header.flags  # the handle may be another's
        return self._ledger.history(channel, None if unlisted else comm.header.handle, grows)

    def touches(self) -> Iterator[Touch]:
        """Loads and stores in buffers of pending operations without a report."""
        return guard_records.touches(self._source)

    def covers(self) -> Iterator[Coverage]:
        """The guard coverage of buffers of pending operations, for each place."""
        return guard_records.covers(self._source)

    def provoked(self) -> Iterator[Provoked]:
        """The perturbations of calls, for each place."""
        return perturbations.provoked(self._source)

    def onesided(self) -> Log | None:
        """The accesses to windows and their order; None without a log."""
        if not self._source.root().onesided:
            return None
        # It takes some time to load.
        from mpipp.registry.rma_log.events import log_of

        ops = partial(self.find, "op")
        return log_of(self._source, self._datatypes, ops, self.info.world_rank)

    def guard_switches(self) -> Iterator[guard_records.Switch]:
        """The switches of a debugger, for each call whose operations are guarded."""
        return guard_records.switches(self._source)

    def _stored_at(self, place: int, first: Request) -> Known:
        found = first
        for request in self._sharing(first):
            if request.call.requests == place:
                found = request  # a newer one there has overwritten an older one's handle
        return found

    def _sharing(self, first: Request) -> Iterator[Request]:
        # The requests that share a handle, oldest first.
        request: Known = first
        for _ in range(min(first.sharing, _MAX_SHARING)):
            if not isinstance(request, Request):
                return
            yield request
            if not request.newer:
                return
            request = self.at("request", request.newer)

    def _find_datatype(self, handle: int) -> DatatypeRecord | Broken | None:
        found = self.find("datatype", handle)
        assert found is None or isinstance(found, (DatatypeRecord, Broken))
        return found

    def _decode(self, kind: str, address: int) -> Known:
        source = self._source
        try:
            record = source.memory.read(address, source.table(kind).record_size)
            return self._objects.decode(source.header(kind, address, record), record)
        except MpippError as error:
            return Broken(kind, address, str(error))


def _ended(found: Known) -> bool:
    return not isinstance(found, Broken) and found.header.is_ended
