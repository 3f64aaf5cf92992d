# SPDX-License-Identifier: MIT
"""The registry of one process: look-up of objects by handle, lists of objects, other records."""

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
    from mpipp.registry.rma_log.log import Log

_MAX_SHARING = 1 << 10  # requests that share one handle

Known = Union[Object, Broken]


class Registry:
    """Reads the registry whose root is at `address`.

    Raises MpippError if there is no registry, or if this mpipp cannot read it. Call `invalidate`
    whenever the process has run or its memory was changed. Objects that were returned before do not
    change.

    Kinds are those of `mpipp.model.KINDS`. An invalid record is returned as `Broken`.

    Args:
        has_left: returns whether a thread has certainly left a function by a jump. The wrapper
            notices the jump only at the thread's next MPI call. Arguments: the thread's gettid, the
            address of the function's frame, and both ends of the stack.
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
        """Forget everything, because the process has run or its memory was changed."""
        self._known.clear()
        self._tables.invalidate()
        self._datatypes.invalidate()
        self._source.invalidate()

    @property
    def info(self) -> ProcessInfo:
        """Facts about the MPI library and the process."""
        root = self._source.root()
        if self._told is None or root is not self._told[0]:
            self._told = root, process_info(self._source, root)
        return self._told[1]

    @property
    def constants(self) -> Mapping[str, int]:
        """The standard's constants that are not handles, by name: MPI_ANY_SOURCE, MPI_BOTTOM ..."""
        return self._source.constants

    def constant_name(self, value: int, *names: str) -> str | None:
        """Return the first of `names` with this value; addresses and signed values are equal."""
        for name in names:
            known = self._source.constants.get(name)
            if known is not None and (known - value) % (1 << 64) == 0:
                return name
        return None

    def find(self, kind: str, handle: int, place: int | None = None) -> Known | None:
        """Return the object that has the handle now, or had it last; None if there is none.

        `handle` may be signed, or wider than a handle. If several requests share it, the result is
        the request whose handle MPI stored at the address `place`, else the oldest.
        """
        address = self._tables.place(kind, handle)
        if address is None:
            return None
        found = self.at(kind, address)
        if place is not None and isinstance(found, Request) and found.newer:
            return self._stored_at(place, found)
        return found

    def passed_requests(self, call: Call, most: int) -> list[tuple[Known, ...]]:
        """Return the requests that a call waits for, tests or starts, as its array has them now.

        At most the first `most` are read. The result has a tuple for each handle: usually its
        request, or nothing if it is unknown. If the program moved a handle that several requests
        share, the tuple has all of them. Raises MpippError if the array is unreadable.
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
        moved: dict[int, list[int]] = {}  # key: the oldest request with the handle
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
        """Return the handles of the requests that a call waits for, tests or starts."""
        if call.requests is None:
            return ()
        count = max(0, min(call.request_count, most))
        size = self._source.handle_size("request")
        try:
            place = call.before or call.requests
            return self._source.integers(place, count, size, signed=False)
        except UnreadableMemory:  # the program has changed its own memory
            if not call.shown:
                raise
            return self._source.integers(call.shown, count, size, signed=False)

    def stale_requests(self, call: Call, most: int) -> Iterator[tuple[int, Request]]:
        """Yield requests that were complete before the call, and their index in its array.

        A call that completes or frees a request resets its variable, before the request is recorded
        as completed. So a handle that is still in the array was a stale copy. The conclusion does
        not hold if some requests are not recorded, because MPI may have reused the handle. Raises
        MpippError if the array is unreadable.
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
        """Return the object of a kind whose record is at `address`, as in `Header.record`."""
        if kind == "datatype":
            return self._datatypes.at(address)
        known = self._known.get((kind, address))
        if known is None:
            known = self._known[kind, address] = self._decode(kind, address)
        return known

    def objects(self, kind: str, ended: bool = False) -> Iterator[Known]:
        """Yield every object of a kind, with `ended` also the freed ones."""
        for found in self._tables.raw_headers(kind, ended):
            yield found if isinstance(found, Broken) else self.at(kind, found[0])

    def headers(self, kind: str, ended: bool = False) -> Iterator[Header | Broken]:
        """Yield the common part of every object, uncached: there may be 10^6 datatypes."""
        for found in self._tables.raw_headers(kind, ended):
            yield found if isinstance(found, Broken) else self._header(kind, *found)

    def record_count(self, kind: str) -> int:
        """Return the number of records of a kind, including those of freed objects."""
        return self._source.table(kind).count

    def broken_headers(self, kind: str) -> Iterator[Broken]:
        """Yield the objects of `headers` that cannot be decoded."""
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
        """Return whether the word at an address of the program is readable, and 0."""
        try:
            return self._source.integers(address, 1, 8) == (0,)
        except UnreadableMemory:
            return False

    def combiner(self, address: int) -> str:
        """Return the combiner of the datatype whose record is at `address`. Raises MpippError."""
        return self._datatypes.combiner(address)

    def by_fint(self, kind: str, fint: int) -> Known | None:
        """Return the object with this Fortran INTEGER handle, if it exists."""
        if self._source.handle_size(kind) == 4:
            # MPICH's handles are INTEGERs themselves, so objects without a recorded INTEGER are
            # found, too.
            found = self.find(kind, fint)
            return None if found is None or _ended(found) else found
        address = self._tables.by_fint(kind, fint)
        return None if address is None else self.at(kind, address)

    def pending_requests(self) -> Iterator[Request | Broken]:
        """Yield the requests whose operation was started and is not completed."""
        for request in self.objects("request"):
            if isinstance(request, Broken) or (isinstance(request, Request) and request.pending):
                yield request

    def freed_active_requests(self) -> Iterator[Request]:
        """Yield the requests that were freed while their operations were active.

        The operations may still be active.
        """
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
        """Return the threads that have called MPI."""
        return self._threads.all()

    def last_calls(self) -> Iterator[ThreadCall]:
        """Return the last call of each thread; it may have returned."""
        return self._threads.last_calls()

    def completed_calls(self, tid: int) -> Iterator[Call]:
        """Return a thread's last completed call, then for each place its last call with buffers.

        The very last call may be missing, and so may calls that a request or a window's log keeps.
        `tid` is the thread's gettid. Raises MpippError if the records are invalid.
        """
        return self._threads.completed(tid)

    @property
    def count_of_calls(self) -> int:
        """The number of MPI calls that the process has made; 0 if that is uncertain."""
        return self._threads.count_of_calls()

    def breaches(self) -> Iterator[Breach]:
        """Return the calls that have certainly violated the thread level that MPI provides."""
        return self._threads.breaches()

    def returned_codes(self) -> Iterator[ReturnedCode]:
        """Return the error codes that MPI returned to the program, once for each place."""
        return returned_codes.returned_codes(self._source)

    def keyval_places(self) -> Iterator[KeyvalPlace]:
        """Return the places in the program that create attribute keys."""
        return keyvals.places(self._source)

    def recorded_calls(self, comm: Comm, channel: Channel) -> list[Stretch]:
        """Return the counted calls in a channel of a communicator, as far as they are kept.

        Raises MpippError if the history is invalid.
        """
        if not channel.history:
            return []
        history = self.history(comm, channel)
        return history.more(channel.period, history.last(channel))

    def times(self, channel: Channel) -> Mapping[int, int]:
        """Return the times of a channel's calls, by ordinal, in nanoseconds of the node's clock.

        Only the last few thousand times are kept, and of repeated calls only the first one's. Sends
        and receives are timed when they begin, collective calls when they have returned.
        """
        return self._source.times.get(channel.history, {}) if channel.history else {}

    def kinds(self, comm: Comm, channel: Channel) -> list[KeptCall]:
        """Return the different calls of a channel, also if their ordinals are uncertain."""
        return self.history(comm, channel).kinds() if channel.history else []

    def outline(self, comm: Comm, channel: Channel) -> Outline | None:
        """Return the outline of a channel's history; None if it is not simple enough."""
        return self.history(comm, channel).outline(channel.period) if channel.history else None

    def history(self, comm: Comm, channel: Channel, grows: bool = False) -> History:
        """Return the ledger of a channel that has a history.

        Args:
            grows: whether the process runs while it is read.
        """
        unlisted = "unlisted" in comm.header.flags  # MPI may have reused the handle
        return self._ledger.history(channel, None if unlisted else comm.header.handle, grows)

    def touches(self) -> Iterator[Touch]:
        """Return loads and stores in buffers of pending operations that were not reported yet."""
        return guard_records.touches(self._source)

    def covers(self) -> Iterator[Coverage]:
        """Return the guard coverage of buffers of pending operations, for each place."""
        return guard_records.covers(self._source)

    def provoked(self) -> Iterator[Provoked]:
        """Return the perturbations of calls, for each place."""
        return perturbations.provoked(self._source)

    def onesided(self) -> Log | None:
        """Return the accesses to windows and their order; None if the process has no log."""
        if not self._source.root().onesided:
            return None
        # Loading the module is slow, and few programs need it.
        from mpipp.registry.rma_log.log import log_of

        ops = partial(self.find, "op")
        return log_of(self._source, self._datatypes, ops, self.info.world_rank)

    def guard_switches(self) -> Iterator[guard_records.Switch]:
        """Return the switches by which a debugger makes the guard of a call ignore its time
        limit."""
        return guard_records.switches(self._source)

    def _stored_at(self, place: int, first: Request) -> Known:
        found = first
        for request in self._sharing(first):
            if request.call.requests == place:
                found = request  # the newest request there has overwritten older ones
        return found

    def _sharing(self, first: Request) -> Iterator[Request]:
        # Yields the requests that share a handle, oldest first.
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
