# SPDX-License-Identifier: MIT
"""Decodes call records: a call with its communication buffers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Union, overload

from mpipp.common.errors import GoneMemory, MpippError, UnreadableMemory
from mpipp.common.text.sanitize import plain
from mpipp.model import (
    ArrayArgument,
    Broken,
    Buffer,
    Call,
    Constructor,
    DatatypeArgument,
    DatatypeRecord,
    Share,
    ThreadCall,
    procedures,
)
from mpipp.model.procedures import Procedure
from mpipp.registry.decode.datatypes import LENGTHS, Datatypes
from mpipp.registry.layout.record_fields import (
    RawBuffer,
    RawCall,
    RawInput,
    RawThread,
    RawVector,
)
from mpipp.registry.layout.record_source import Source, certain
from mpipp.typetree import ARGUMENTS

_MAX_PEERS = 1 << 31  # of peers or partitions: MPI passes the number as an int
# The number of cached shares (a buffer's part for one process). The checks of an exchange read each
# share several times.
_MOST_KNOWN = 1024

_MAX_INPUTS = 16
_TYPES = {"MPI_File_set_view": ("etype", "filetype")}
# Calls for which the wrapper copies the handles that the program passed.
_KEPT = ("MPI_Waitany", "MPI_Waitsome", "MPI_Request_free")
_INDEXED = ("MPI_Waitsome", "MPI_Testsome", "MPI_Request_get_status_some")

_Known = Union[DatatypeRecord, Broken, None]
_Find = Callable[[int], _Known]  # returns the datatype of a handle


class Calls:
    """Decodes calls. `find` returns the datatype of a handle, for handles without a record."""

    def __init__(self, source: Source, datatypes: Datatypes, find: _Find) -> None:
        self._source = source
        self._datatypes = datatypes
        self._find = find
        layout = source.layout
        self._record = layout.nested(source.table("request").record, "call")
        self._calls = layout.decoder(self._record, "call", RawCall)
        buffers = layout.nested(self._record, "buffers")
        vectors = layout.nested(self._record, "vectors")
        self._buffers = layout.decoder(buffers, "buffer", RawBuffer)
        self._vectors = layout.decoder(vectors, "vector", RawVector)

    @property
    def size(self) -> int:
        """Bytes of a call's record."""
        return self._calls.size

    def active(self, record: bytes) -> Call | None:
        """Return the active call in a thread's record.

        None if the thread is just entering or leaving a call. Also None if the stack shows that the
        program has left the call by a jump. Raises MpippError if the record is invalid.
        """
        raw = self._calls.decode(record)
        state = self._source.enumerator("call_state", raw.state)
        return self._call(raw) if state == "active" and not self._is_abandoned(raw) else None

    def completed(self, record: bytes) -> Call | None:
        """Return the call in a thread's record if it has returned and was recorded, else None.

        Only its buffers are kept: the other arguments were on a stack that is in use again. Raises
        MpippError if the record is invalid.
        """
        raw = self._calls.decode(record)
        source = self._source
        if source.enumerator("call_state", raw.state) != "none" or not raw.serial:
            return None
        if source.procedure(raw.procedure) not in procedures.PROCEDURES:
            return None
        for name in ("constructor", "arguments", "types"):
            raw = raw._replace(present=raw.present & ~source.value("present", name))
        return self._call(raw)

    def past(self, record: bytes, serials: Sequence[int]) -> Call:
        """Return a completed call. A datatype is left out if its record now has another datatype.

        Raises MpippError if the record is invalid.
        """
        call = self._call(self._calls.decode(record))
        buffers = [
            buffer if _serial(buffer.datatype) in (None, serial) else replace(buffer, datatype=None)
            for buffer, serial in zip(call.buffers, serials)
        ]
        return replace(call, state="over", buffers=tuple(buffers))

    def _is_abandoned(self, raw: RawCall) -> bool:
        # The return address on the stack shows a jump early. The wrapper notices it only at the
        # thread's next MPI call (wrapper/intercept/abandoned_calls.c).
        slot = self._source.root().return_slot
        if not slot:
            return False
        try:
            return self._source.integers(raw.frame + slot, 1, 8, signed=False)[0] != raw.caller
        except MpippError:
            return False

    def last(self, thread: RawThread) -> ThreadCall:
        """Return the call in a thread's record, active or completed."""
        raw = self._calls.decode(thread.call)
        procedure = self._source.procedure(raw.procedure)
        known = thread.place_serial == raw.serial
        site = self._source.site(thread.place if known else raw.caller, 0)
        return ThreadCall(procedure, thread.tid, site)

    def serial(self, record: bytes) -> int:
        """Return the number of the call in a thread's record, from 1; 0 if there was no call."""
        return self._calls.decode(record).serial

    def call(self, record: bytes) -> Call:
        """Return the call in a record. Raises MpippError if the record is invalid."""
        return self._call(self._calls.decode(record))

    def _call(self, raw: RawCall) -> Call:
        source = self._source
        present = source.bits("present", raw.present)

        def present_value(name: str, value: int) -> int | None:
            return value if name in present else None

        procedure = source.procedure(raw.procedure)
        facts = procedures.procedure(procedure)
        return Call(
            procedure=procedure,
            state=source.enumerator("call_state", raw.state),
            serial=raw.serial,
            site=source.site(raw.caller, 0),
            frame=raw.frame,
            comm=present_value("comm", raw.comm),
            op=present_value("op", raw.op),
            win=present_value("win", raw.win),
            file=present_value("file", raw.file),
            message=present_value("message", raw.message),
            dest=present_value("dest", raw.dest),
            source=present_value("source", raw.source),
            tag=present_value("tag", raw.tag),
            recvtag=present_value("recvtag", raw.recvtag),
            root=present_value("root", raw.root),
            target_rank=present_value("target_rank", raw.target_rank),
            offset=present_value("offset", raw.offset),
            errorcode=present_value("errorcode", raw.errorcode),
            requests=present_value("requests", raw.requests),
            request_count=raw.request_count if "requests" in present else 0,
            buffers=self._all_buffers(raw),
            ordinal=certain(raw.ordinal) if "ordinal" in present else None,
            recv_ordinal=certain(raw.recv_ordinal) if "recv_ordinal" in present else None,
            answered=_answered(raw, present),
            constructor=self._constructor(raw) if "constructor" in present else None,
            before=raw.before if procedure in _KEPT and raw.requests else 0,
            arguments=self._arguments(raw) if "arguments" in present else {},
            counts=self._counts(raw) if "counts" in present else None,
            given_types=self._datatype_arguments(procedure, raw) if "types" in present else (),
            again="again" in present,
            arrays=tuple(self._arrays(facts, raw, present)),
            statuses=raw.statuses if facts.statuses else None,
            indices=raw.indices if procedure in _INDEXED else None,
        )

    def _arrays(
        self, facts: Procedure, raw: RawCall, present: frozenset[str]
    ) -> Iterator[ArrayArgument]:
        passed = itertools.islice(self._buffers.many(raw.buffers), raw.buffer_count)
        used = [one for one in passed if one.vector] if raw.buffer_count else []
        vectors = list(self._vectors.many(raw.vectors)) if used or "counts" in present else []
        if "counts" in present:
            yield _array("recvcounts", vectors[0])
        for one in used:
            role = self._source.string(one.role)
            yield from _of_vector(facts, role, vectors[min(one.vector, len(vectors)) - 1])
        combiner = self._source.enumerator("combiner", raw.combiner)
        names = ARGUMENTS.get(combiner, ()) if "constructor" in present else ()
        has_inputs = present & {"constructor", "arguments"}
        is_result = False
        for at, given in enumerate((self._inputs(raw) if has_inputs else None) or ()):
            if at < len(names):
                is_array, name = names[at] in LENGTHS, f"array_of_{names[at]}"
            else:
                shape = self._source.enumerator("shape", given.shape)
                is_array, is_result = shape in ("array", "result"), shape == "result"
                name = self._source.string(given.name)
            if is_array and given.count > 0:
                yield ArrayArgument(name, given.values, given.count, given.size, is_result)

    def _constructor(self, raw: RawCall) -> Constructor | None:
        # The arguments are in the caller's memory, and may have any values.
        source = self._source
        combiner = source.enumerator("combiner", raw.combiner)
        arguments = {}
        inputs = self._inputs(raw)
        if inputs is None:
            return None
        for name, given in zip(ARGUMENTS.get(combiner, ()), inputs):
            try:
                arguments[name] = self._argument(given, name not in LENGTHS)
            except MpippError:
                continue
        handles = self._types(raw)
        types = None if handles is None else tuple(self._find(handle) for handle in handles)
        return Constructor(combiner, arguments, types, handles or ())

    def _arguments(self, raw: RawCall) -> dict[str, int | tuple[int, ...] | None]:
        # The arguments are in the caller's memory; unreadable ones are left out.
        source = self._source
        found: dict[str, int | tuple[int, ...] | None] = {}
        for given in self._inputs(raw) or ():
            name, shape = (
                source.string(given.name),
                source.enumerator("shape", given.shape),
            )
            try:
                if shape == "handle":
                    found[name] = source.integers(given.values, 1, given.size, signed=False)[0]
                elif shape == "result":
                    continue  # MPI stores it later
                elif shape == "text":
                    found[name] = tuple(source.characters(given.values)) if given.values else None
                elif given.count < 0 and shape == "array":
                    count = _implied_count(name, found)
                    if count is not None:
                        found[name] = self._argument(given._replace(count=count), False)
                else:
                    found[name] = self._argument(given, shape == "number")
            except MpippError:
                continue
        return found

    def _counts(self, raw: RawCall) -> tuple[int, ...] | None:
        vector = next(iter(self._vectors.many(raw.vectors)))
        if not vector.counts:
            return None
        try:
            return self._source.integers(vector.counts, vector.length, vector.count_size)
        except MpippError:  # the array is in the caller's memory
            return None

    def _inputs(self, raw: RawCall) -> list[RawInput] | None:
        # The recorded arguments; None if they were on the stack of a process that was killed.
        if raw.input_count > _MAX_INPUTS:
            raise MpippError(f"a call is recorded with {raw.input_count} arguments")
        decoder = self._source.linked_decoder("inputs", RawInput)
        try:
            data = self._source.memory.read(raw.inputs, raw.input_count * decoder.size)
        except UnreadableMemory:
            return None
        return list(decoder.many(data))

    def _argument(self, given: RawInput, scalar: bool) -> int | tuple[int, ...] | None:
        if not given.values:
            return None
        values = self._source.integers(given.values, max(given.count, 0), given.size)
        return values[0] if scalar else values

    def _types(self, raw: RawCall) -> tuple[int, ...] | None:
        size = self._source.handle_size("datatype")
        if raw.type_count <= 0:
            return ()
        if not raw.types:
            return None
        try:
            return self._source.integers(raw.types, raw.type_count, size, signed=False)
        except GoneMemory:
            return ()  # on the stack of a process that was killed
        except MpippError:
            return None

    def _datatype_arguments(self, procedure: str, raw: RawCall) -> tuple[DatatypeArgument, ...]:
        names, handles = _TYPES.get(procedure, ()), self._types(raw) or ()
        return tuple(
            DatatypeArgument(name, one, self._find(one)) for name, one in zip(names, handles)
        )

    def _all_buffers(self, raw: RawCall) -> tuple[Buffer, ...]:
        published = len(raw.buffers) // self._buffers.size
        if raw.buffer_count > published:
            raise MpippError(f"a call is recorded with {raw.buffer_count} buffers")
        if not raw.buffer_count:
            return ()
        vectors = list(self._vectors.many(raw.vectors))
        records = itertools.islice(self._buffers.many(raw.buffers), raw.buffer_count)
        return tuple(self._buffer(buffer, vectors) for buffer in records)

    def _buffer(self, raw: RawBuffer, vectors: list[RawVector]) -> Buffer:
        if raw.vector > len(vectors):
            raise MpippError(f"a buffer is recorded with vector number {raw.vector}")
        peers = vectors[raw.vector - 1].length if raw.vector else raw.peers
        if not 0 <= peers <= _MAX_PEERS:
            raise MpippError(f"a buffer is recorded with {peers} peers")
        datatype = self._datatypes.at(raw.record) if raw.record else None
        shares = None
        if raw.vector:
            shares = _Shares(
                self._source, vectors[raw.vector - 1], datatype, self._datatypes, self._find
            )
        return Buffer(
            role=plain(self._source.string(raw.role), ""),
            address=raw.address,
            count=raw.count,
            peers=raw.peers,
            datatype=datatype,
            handle=raw.datatype,
            access=self._source.bits("access", raw.access),
            shares=shares,
        )


def _serial(known: _Known) -> int | None:
    return known.header.serial if isinstance(known, DatatypeRecord) else None


def _array(name: str, vector: RawVector) -> ArrayArgument:
    return ArrayArgument(name, vector.counts, vector.length, vector.count_size)


def _of_vector(facts: Procedure, role: str, vector: RawVector) -> Iterator[ArrayArgument]:
    # The arrays of counts and displacements for the send or the receive buffer of MPI_Alltoallv,
    # MPI_Gatherv and similar calls.
    every = [one for one in facts.buffers if one.times == "each"]
    counts = next((one.count for one in every if one.role == role), "")
    letter = role[:1] if len(every) > 1 else ""
    if counts:
        yield _array(counts, vector)
        size = vector.displacement_size
        yield ArrayArgument(f"{letter}displs", vector.displacements, vector.length, size)


def _answered(raw: RawCall, present: frozenset[str]) -> bool:
    # Return whether the call has its message: then the wrapper has cleared the call's ordinal.
    if "recv_ordinal" in present:
        return raw.recv_ordinal == 0
    return "ordinal" in present and "source" in present and raw.ordinal == 0


def _implied_count(name: str, found: Mapping[str, int | tuple[int, ...] | None]) -> int | None:
    # The length of an array that only another array determines (MPI-4.1, sections 8.5.3 and 8.5.4).
    told = found.get("index" if name == "edges" else "degrees")
    if not isinstance(told, tuple) or any(number < 0 for number in told):
        return None
    if name == "edges":
        return told[-1] if told else 0
    return sum(told)


class _Shares(Sequence[Share]):
    # The counts, displacements and datatypes of MPI_Alltoallv and similar calls, one share for each
    # peer. Shares are read on demand, so unread shares of a million peers cost nothing.

    def __init__(
        self,
        source: Source,
        vector: RawVector,
        datatype: _Known,
        datatypes: Datatypes,
        find: _Find,
    ) -> None:
        self._source = source
        self._vector = vector
        self._datatype = datatype
        self._datatypes = datatypes
        self._find = find
        self._known: dict[int, Share] = {}
        self._sums: list[int] | None = None
        self._whole = False  # whether the last count was read, see `_share`

    def __len__(self) -> int:
        return self._vector.length

    @overload
    def __getitem__(self, index: int) -> Share: ...
    @overload
    def __getitem__(self, index: slice) -> list[Share]: ...
    def __getitem__(self, index: int | slice) -> Share | list[Share]:
        if isinstance(index, slice):
            return [self._share(i) for i in range(*index.indices(len(self)))]
        found = self._known.get(index)
        if found is None:
            found = self._share(range(len(self))[index])
            if len(self._known) < _MOST_KNOWN:
                self._known[index] = found
        return found

    def _share(self, index: int) -> Share:
        vector = self._vector
        if not self._whole:
            # Read the last count first: a damaged length must fail before 2^31 shares are read.
            self._element(vector.counts, vector.count_size, vector.length - 1)
            self._whole = True
        datatype = self._datatype_of(index)
        count = self._element(vector.counts, vector.count_size, index)
        if vector.displacements:
            displacement = self._element(vector.displacements, vector.displacement_size, index)
        else:
            displacement = self._sum(index)
        # Only w forms, as MPI_Alltoallw, have displacements in bytes (MPI-4.1, sections 6.6 and
        # 6.8).
        if vector.datatypes:
            return Share(count, displacement, datatype, self._handle(index))
        if not isinstance(datatype, DatatypeRecord):
            return Share(count, None, datatype)
        return Share(count, displacement * datatype.tree.extent, datatype)

    def _datatype_of(self, index: int) -> _Known:
        vector, source = self._vector, self._source
        if vector.records:
            record = source.integers(vector.records + 8 * index, 1, 8, signed=False)[0]
            return self._datatypes.at(record) if record else None
        return self._find(self._handle(index)) if vector.datatypes else self._datatype

    def _handle(self, index: int) -> int:
        size = self._source.handle_size("datatype")
        place = self._vector.datatypes + size * index
        return self._source.integers(place, 1, size, signed=False)[0]

    def _element(self, array: int, size: int, index: int) -> int:
        return self._source.integers(array + size * index, 1, size)[0]

    def _sum(self, index: int) -> int:
        # MPI_Reduce_scatter has no displacements: the shares are contiguous.
        if self._sums is None:
            vector = self._vector
            counts = self._source.integers(vector.counts, vector.length, vector.count_size)
            self._sums = list(itertools.accumulate(counts, initial=0))
        return self._sums[index]
