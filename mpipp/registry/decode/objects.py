# SPDX-License-Identifier: MIT
"""Decodes object records of every kind except datatypes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, overload

from mpipp import model
from mpipp.common.errors import MpippError
from mpipp.model import Header
from mpipp.registry.decode.calls import Calls
from mpipp.registry.layout.field_table import Decoder, Record
from mpipp.registry.layout.record_fields import (
    RawChannel,
    RawComm,
    RawErrhandler,
    RawFile,
    RawGroup,
    RawInfo,
    RawMessage,
    RawOp,
    RawRequest,
    RawSession,
    RawWin,
)
from mpipp.registry.layout.record_source import UNCERTAIN, Source, certain, expect_number

_MAX_KEYS = 100_000
_MAX_CHANNELS = 40_000
_DOUBTED = 2  # bit of `special`: MPIPP_DOUBTED
_CLOSED = (1 << 64) - 2  # replaces the handle of a communicator if MPI has reused the handle


class Objects:
    """Decodes objects of every kind except datatypes."""

    def __init__(self, source: Source, calls: Calls) -> None:
        self._source = source
        self._calls = calls
        self._decoders: dict[str, Decoder[Any]] = {}
        self._kinds: dict[str, Callable[[Header, bytes], model.Object]] = {
            "request": self._request,
            "comm": self._comm,
            "group": self._group,
            "win": self._win,
            "op": self._op,
            "file": self._file,
            "info": self._info,
            "errhandler": self._errhandler,
            "session": self._session,
            "message": self._message,
        }

    def decode(self, header: Header, record: bytes) -> model.Object:
        """Return the object in a record. Raises MpippError if the record is invalid."""
        return self._kinds[header.kind](header, record)

    def raw(self, kind: str, make: type[Record], record: bytes) -> Record:
        """Return the fields of a record of a kind, not interpreted."""
        decoder = self._decoders.get(kind)
        if decoder is None:
            decoder = self._decoders[kind] = self._source.object_decoder(kind, make)
        raw: Record = decoder.decode(record)
        return raw

    def _request(self, header: Header, record: bytes) -> model.Request:
        raw = self.raw("request", RawRequest, record)
        state = self._source.enumerator("request_state", raw.state)
        call = self._calls.call(raw.call)
        # The object's site is better: the call's return address may be in MPI's Fortran layer.
        own = header.site
        if own.python or own.frames or (own.address and own.address != call.site.address):
            call = replace(call, site=header.site)
        doubted = bool(raw.special & _DOUBTED)
        count = call.buffers[0].peers if call.buffers else 0
        marks = self._source.marks(raw.marks, count) if raw.marks else None
        persistent = bool(raw.persistent)
        start = None
        if raw.start and persistent:
            procedure = self._source.procedure(raw.start_procedure)
            start = model.ThreadCall(procedure, raw.tid, self._source.site(raw.start, 0))
        return model.Request(
            header,
            state,
            persistent,
            raw.ready,
            marks,
            raw.newer,
            call,
            doubted,
            start=start,
            tid=raw.tid,
            starts=raw.starts,
        )

    def _comm(self, header: Header, record: bytes) -> model.Comm:
        raw = self.raw("comm", RawComm, record)
        for number in (raw.size, raw.remote_size, raw.indegree, raw.outdegree):
            expect_number(number)
        integers = self._source.integers
        ndims = raw.ndims if raw.dims else 0
        remote = raw.remote_world_ranks
        return model.Comm(
            header,
            rank=raw.rank,
            size=raw.size,
            inter=bool(raw.inter),
            remote_size=raw.remote_size,
            world_ranks=self._world_ranks(raw),
            remote_world_ranks=integers(remote, raw.remote_size, 4) if remote else None,
            topology=self._source.enumerator("topology", raw.topology),
            dims=integers(raw.dims, ndims, 4),
            periods=integers(raw.periods, ndims, 4),
            coords=integers(raw.coords, ndims, 4),
            indegree=raw.indegree,
            outdegree=raw.outdegree,
            sources=integers(raw.sources, max(raw.indegree, 0), 4) if raw.sources else None,
            destinations=integers(raw.destinations, max(raw.outdegree, 0), 4)
            if raw.sources
            else None,
            errhandler=raw.errhandler or None,
            identity=raw.identity,
            uncertain=self._source.sequences(raw.uncertain),
            uncertain_all=self._source.sequences(raw.uncertain_all),
            frozen=bool(raw.frozen),
            posted_any=raw.posted_any,
            returned_any=raw.returned_any,
            abandoned=raw.abandoned,
            made_of=raw.made_of,
            made_by=raw.made_by,
            attached=self._source.attachment(raw.attached),
            channels=_Channels(self._source, raw.channels, header.handle),
        )

    def _group(self, header: Header, record: bytes) -> model.Group:
        raw = self.raw("group", RawGroup, record)
        expect_number(raw.size)
        return model.Group(header, raw.size, raw.rank, self._world_ranks(raw))

    def _world_ranks(self, raw: RawComm | RawGroup) -> Sequence[int] | None:
        if raw.world_ranks:
            return self._source.integers(raw.world_ranks, raw.size, 4)
        return range(raw.size) if raw.world_known else None

    def _win(self, header: Header, record: bytes) -> model.Win:
        raw = self.raw("win", RawWin, record)
        source = self._source
        ranks, exclusive = source.unpack(raw.lock_ranks, 4), source.unpack(raw.lock_exclusive, 4)
        locks = tuple(zip(ranks, map(bool, exclusive)))[: raw.known_locks]
        return model.Win(
            header,
            base=raw.base,
            taken_base=raw.taken_base,
            size=raw.size,
            disp_unit=raw.disp_unit,
            flavor=source.enumerator("win_flavor", raw.flavor),
            model=source.enumerator("win_model", raw.model),
            comm=raw.comm,
            epochs=source.bits_in_order("epoch", raw.epochs),
            locks=locks,
            lock_count=raw.lock_count,
            access_group=raw.access_group or None,
            exposure_group=raw.exposure_group or None,
            access_serial=raw.access_serial,
            exposure_serial=raw.exposure_serial,
            identity=raw.identity,
            comm_identity=raw.comm_identity,
            fences=raw.fences,
            completes=raw.completes,
            locking=bool(raw.locking),
            rank=raw.rank if raw.rank >= 0 else None,
            reaches=raw.reaches,
        )

    def _op(self, header: Header, record: bytes) -> model.Op:
        raw = self.raw("op", RawOp, record)
        return model.Op(header, raw.function, bool(raw.commute))

    def _file(self, header: Header, record: bytes) -> model.File:
        raw = self.raw("file", RawFile, record)
        string = self._source.string
        return model.File(
            header,
            comm=raw.comm,
            filename=string(raw.filename),
            amode=raw.amode,
            disp=raw.disp,
            etype=raw.etype,
            filetype=raw.filetype,
            datarep=string(raw.datarep),
            split=self._calls.call(raw.call) if raw.split_pending else None,
            split_doubted=bool(raw.split_doubted),
            split_ended=raw.split_ended,
            **self._together(raw.channel, raw.comm),
        )

    def _together(self, address: int, comm: int) -> dict[str, int]:
        # The ordinal of MPI_File_open and the number of collective calls; {} if the communicator
        # was freed.
        decoder = self._source.linked_decoder("channels", RawChannel) if address else None
        if decoder is None:
            return {}
        channel = decoder.decode(self._source.memory.read(address, decoder.size))
        if channel.comm != comm or channel.count & UNCERTAIN:
            return {}
        return {"opened": channel.key & 0xFFFFFFFF, "joined": channel.count}

    def _info(self, header: Header, record: bytes) -> model.Info:
        raw = self.raw("info", RawInfo, record)
        if not 0 <= raw.key_count <= _MAX_KEYS:
            raise MpippError(f"an info is recorded with {raw.key_count} keys")
        strings = []
        address = raw.entries
        for _ in range(2 * raw.key_count):
            characters = self._source.characters(address)
            address += len(characters) + 1
            strings.append(characters.decode("utf-8", "backslashreplace"))
        return model.Info(header, tuple(zip(strings[::2], strings[1::2])))

    def _errhandler(self, header: Header, record: bytes) -> model.Errhandler:
        return model.Errhandler(header, self.raw("errhandler", RawErrhandler, record).function)

    def _session(self, header: Header, record: bytes) -> model.Session:
        raw = self.raw("session", RawSession, record)
        return model.Session(header, raw.errhandler or None)

    def _message(self, header: Header, record: bytes) -> model.Message:
        raw = self.raw("message", RawMessage, record)
        ordinal = certain(raw.ordinal)
        return model.Message(header, raw.comm, raw.source, raw.tag, ordinal)


class _Channels(Sequence[model.Channel]):
    # The channels of a communicator, read on demand: only checks of several processes use them.

    def __init__(self, source: Source, address: int, comm: int) -> None:
        self._source = source
        self._address = address
        self._comm = comm

    @cached_property
    def _all(self) -> tuple[model.Channel, ...]:
        return tuple(self._walk())

    def _walk(self) -> Iterator[model.Channel]:
        # The walk ends at invalid data: a channel may now belong to another communicator.
        source, address = self._source, self._address
        decoder = source.linked_decoder("channels", RawChannel) if address else None
        seen: set[int] = set()
        while decoder and address and address not in seen and len(seen) < _MAX_CHANNELS:
            seen.add(address)
            raw = decoder.decode(source.memory.read(address, decoder.size))
            if raw.comm not in (self._comm, _CLOSED):
                return
            frozen = bool(raw.count & UNCERTAIN)
            sequence = source.enumerator("sequence", raw.sequence)
            peer, tag = (_signed(raw.key >> shift) for shift in (32, 0))
            counted = raw.count & ~UNCERTAIN
            count = raw.certain if frozen else counted
            shared, gaps = bool(raw.shared), bool(raw.gaps)
            yield model.Channel(
                sequence, peer, tag, count, frozen, counted, raw.history, raw.period, shared, gaps
            )
            address = raw.next

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> model.Channel: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[model.Channel, ...]: ...
    def __getitem__(self, index: int | slice) -> model.Channel | tuple[model.Channel, ...]:
        return self._all[index]


def _signed(number: int) -> int:
    # The lowest 32 bits as a signed integer.
    return ((number & 0xFFFFFFFF) ^ 1 << 31) - (1 << 31)
