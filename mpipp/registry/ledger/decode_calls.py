# SPDX-License-Identifier: MIT
"""Decodes the calls in histories of channels (wrapper/recorder/ledger/ledger.h)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.model import (
    Broken,
    Buffer,
    Call,
    Channel,
    DatatypeRecord,
    OwnOp,
    Share,
    ThreadCall,
)
from mpipp.registry.decode.datatypes import Datatypes
from mpipp.registry.layout.record_source import Source
from mpipp.registry.ledger.channel_history import History, Layout

_ADDRESS = (1 << 56) - 1
_MOST_ARGUMENTS = 16
_OWN, _COMMUTES = 1 << 63, 1 << 62  # bits that mark an operation made by MPI_Op_create
_NULL = 1 << 33  # in place of the number of values: the pointer is null
_STEP_WORDS = 6

# The fields of a collective call that the wrapper keeps, in their order.
_SCALARS = ("root", "op", "tag", "errorcode")


class Ledger:
    """Decodes the histories of channels."""

    def __init__(self, source: Source, datatypes: Datatypes) -> None:
        self._source = source
        self._datatypes = datatypes
        self._layout: Layout | None = None

    def history(self, channel: Channel, comm: int | None, grows: bool = False) -> History:
        """Return the history of a channel that has one.

        Args:
            comm: handle of the channel's communicator.
            grows: whether the process runs while the history is read.
        """

        def make(words: tuple[int, ...]) -> Call:
            return self._decoded(words, channel, comm)

        if self._layout is None:
            self._layout = Layout.of(self._source)
        return History(self._source, self._layout, channel.history, make, grows)

    def _decoded(self, words: tuple[int, ...], channel: Channel, comm: int | None) -> Call:
        source = self._source
        head, caller, present = words[:3]
        if channel.sequence == "steps":
            return self._step(words)
        start, rest = self._start(present & 0xFFFFFFFF, words[3:])
        scalars, rest = self._scalars(present & 0xFFFFFFFF, rest)
        raw = list(_raw_buffers(rest, head >> 32 & 0xFF))
        rest = rest[sum(len(one) for one in raw) :]
        vectors, rest = self._vectors(rest, present >> 32)
        own_op = _own_op(scalars.get("op", 0))
        sends, receives = "send" in channel.sequence, "receive" in channel.sequence
        code = scalars.get("errorcode")
        counted = vectors[0] if vectors and self._has(present, "counts") else None
        return Call(
            procedure=source.procedure(head >> 40),
            state="over",
            serial=0,
            site=source.site(caller, 0),
            frame=0,
            comm=comm,
            op=None if own_op else scalars.get("op") or None,  # 0: unknown
            dest=channel.peer if sends else None,
            source=channel.peer if receives else None,
            tag=channel.tag if sends or receives else scalars.get("tag"),
            root=scalars.get("root"),
            buffers=tuple(self._buffer(one, vectors) for one in raw),
            counts=None if counted is None else tuple(share.count for share in counted),
            arguments=self._arguments(rest) if self._has(present, "arguments") else {},
            own_op=own_op,
            start=start,
            error_class="" if code is None else self._source.error_class(code),
        )

    def _step(self, words: tuple[int, ...]) -> Call:
        # A step as a call: a send, receive or collective call in the order of the process. The
        # arguments include the names of the step's kind and flags.
        if len(words) != _STEP_WORDS:
            raise MpippError(f"a step in the ledger has {len(words)} words")
        head, caller, _, identity, kind, key = words
        source = self._source
        flags = dict.fromkeys(sorted(source.bits("step_flag", kind & 0xFFFFFFF0)), 1)
        is_message = source.enumerator("step", kind & 0xF) != "collective"
        peer, tag = _signed32(key >> 32), _signed32(key)
        return Call(
            procedure=source.procedure(head >> 40),
            state="over",
            serial=0,
            site=source.site(caller, 0),
            frame=0,
            source=peer if is_message else None,
            tag=tag if is_message else None,
            arguments={
                source.enumerator("step", kind & 0xF): 1,
                **flags,
                "comm": identity,
                "distance": kind >> 32,
                **({} if is_message else {"ordinal": key}),
            },
        )

    def _start(
        self, present: int, words: tuple[int, ...]
    ) -> tuple[ThreadCall | None, tuple[int, ...]]:
        # Returns the call that started a persistent operation, and the remaining words.
        is_one, is_all = self._has(present, "started"), self._has(present, "started_all")
        if not is_one and not is_all:
            return None, words
        if not words:
            raise MpippError("a call in the ledger has no place where it was started")
        procedure = "MPI_Start" if is_one else "MPI_Startall"
        return ThreadCall(procedure, 0, self._source.site(words[0], 0)), words[1:]

    def _has(self, present: int, name: str) -> bool:
        return bool(present & self._source.value("present", name))

    def _scalars(
        self, present: int, words: tuple[int, ...]
    ) -> tuple[Mapping[str, int], tuple[int, ...]]:
        names = [name for name in _SCALARS if self._has(present, name)]
        found = dict(zip(names, words))
        for name in ("root", "tag"):
            if name in found:
                found[name] = _signed(found[name])
        return found, words[len(names) :]

    def _vectors(
        self, words: tuple[int, ...], count: int
    ) -> tuple[list[list[Share]], tuple[int, ...]]:
        # Returns the counts and datatypes for each peer, and the remaining words.
        found = []
        for _ in range(min(count, 2)):
            if not words:
                raise MpippError("a call in the ledger has fewer vectors than it says")
            length, typed = words[0] >> 1, words[0] & 1
            if len(words) < 1 + length * (1 + typed):
                raise MpippError("a call in the ledger has more peers than numbers")
            counts = words[1 : 1 + length]
            records = words[1 + length : 1 + 2 * length] if typed else (0,) * length
            words = words[1 + length * (1 + typed) :]
            found.append(
                [
                    Share(_signed(number), 0, self._datatype(record))
                    for number, record in zip(counts, records)
                ]
            )
        return found, words

    def _arguments(self, words: tuple[int, ...]) -> dict[str, int | tuple[int, ...] | None]:
        # The arguments are named as in an active call. The ledger keeps only length and hash of a
        # long array, and only a hash of a group: "members". The ledger keeps no other handles,
        # because their values differ between processes.
        found: dict[str, int | tuple[int, ...] | None] = {}
        position = 1
        for _ in range(min(words[0] if words else 0, _MOST_ARGUMENTS)):
            if len(words) < position + 2:
                raise MpippError("a call in the ledger has fewer arguments than it says")
            name, head = words[position : position + 2]
            count = head & 0xFFFFFFFF
            values = tuple(map(_signed, words[position + 2 : position + 2 + count]))
            if len(values) != count:
                raise MpippError("a call in the ledger has more arguments than words")
            position += 2 + count
            role = plain(self._source.string(name), "")
            shape = self._source.enumerator("shape", head >> 40)
            if not (values or head & _NULL) and shape in ("handle", "number"):
                raise MpippError("a call in the ledger has an argument without its word")
            if head & _NULL:
                found[role] = None
            elif shape == "handle":
                if role == "group" and values[0]:
                    found["members"] = values[0]
            else:
                found[role] = values[0] if shape == "number" else values
        return found

    def _datatype(self, record: int) -> DatatypeRecord | Broken | None:
        return self._datatypes.at(record) if record else None

    def _buffer(self, words: tuple[int, ...], vectors: list[list[Share]]) -> Buffer:
        head, record, count = words[:3]
        datatype = self._datatype(record)
        number = head >> 60 & 3
        if number > len(vectors):
            raise MpippError(f"a buffer in the ledger has vector number {number}")
        shares = vectors[number - 1] if number else None
        if shares is not None and record:
            shares = [Share(share.count, 0, datatype) for share in shares]
        in_place = head >> 62 & 1
        return Buffer(
            role=plain(self._source.string(head & _ADDRESS), ""),
            address=self._source.constants.get("MPI_IN_PLACE", 0) if in_place else 0,
            count=_signed(count),
            peers=_signed(words[3]) if len(words) > 3 else 1,
            datatype=datatype,
            handle=datatype.header.handle if isinstance(datatype, DatatypeRecord) else 0,
            access=self._source.bits("access", head >> 56 & 0xF),
            shares=shares,
        )


def _own_op(word: int) -> OwnOp | None:
    return OwnOp(word & _COMMUTES - 1, bool(word & _COMMUTES)) if word & _OWN else None


def _raw_buffers(words: tuple[int, ...], count: int) -> Iterator[tuple[int, ...]]:
    position = 0
    for _ in range(count):
        length = 4 if position < len(words) and words[position] >> 63 else 3
        if position + length > len(words):
            raise MpippError(
                "a call in the ledger is damaged: it is too short for the number of its buffers"
            )
        yield words[position : position + length]
        position += length


def _signed32(word: int) -> int:
    low = word & 0xFFFFFFFF
    return low - (1 << 32) if low >> 31 else low


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
