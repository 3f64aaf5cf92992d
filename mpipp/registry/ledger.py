# SPDX-License-Identifier: MIT
"""The histories of channels: the past that the wrapper keeps (wrapper/recorders/ledger.h)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mpipp.datatypes import basictypes
from mpipp.errors import MpippError
from mpipp.model import Broken, Buffer, Call, Channel, DatatypeRecord, Kept, Share, Stretch
from mpipp.registry.datatypes import Datatypes
from mpipp.registry.fields import Decoder
from mpipp.registry.records import RawHistory, RawPage
from mpipp.registry.source import Source

_MAX_PAGES = 1 << 16
_MAX_WORDS = 1 << 24  # of a page
_RECENT = 64  # calls that a run may look back
_ADDRESS = (1 << 56) - 1

# The fields of a call that the wrapper keeps of a collective one, in its order.
_SCALARS = ("root", "op", "tag")


class Ledger:
    """Decodes histories."""

    def __init__(self, source: Source, datatypes: Datatypes) -> None:
        self._source = source
        self._datatypes = datatypes
        self._layout: _Layout | None = None

    def past(self, channel: Channel, comm: int | None) -> list[Stretch]:
        """What is kept of a channel, in order of ordinals; comm: its communicator's handle.

        Ordinals of which nothing is kept are left out. Raises MpippError when it makes no sense.
        """

        def make(words: tuple[int, ...]) -> Call:
            return self._decoded(words, channel, comm)

        if not channel.history:
            return []
        if self._layout is None:
            self._layout = _Layout.of(self._source)
        return _Decoder(self._source, self._layout, channel, make).stretches()

    def _decoded(self, words: tuple[int, ...], channel: Channel, comm: int | None) -> Call:
        source = self._source
        head, caller, present = words[:3]
        scalars, rest = self._scalars(present & 0xFFFFFFFF, words[3:])
        raw = list(_raw_buffers(rest, head >> 32 & 0xFF))
        rest = rest[sum(len(one) for one in raw) :]
        vectors = list(self._vectors(rest, present >> 32))
        sends, receives = "sends" in channel.sequence, "receives" in channel.sequence
        counted = vectors[0] if vectors and self._has(present, "counts") else None
        return Call(
            procedure=source.procedure(head >> 40),
            state="over",
            serial=0,
            site=source.site(caller, 0),
            frame=0,
            comm=comm,
            op=scalars.get("op") or None,  # 0: one of the program's own
            win=None,
            file=None,
            message=None,
            dest=channel.peer if sends else None,
            source=channel.peer if receives else None,
            tag=channel.tag if sends or receives else scalars.get("tag"),
            recvtag=None,
            root=scalars.get("root"),
            target_rank=None,
            offset=None,
            errorcode=None,
            requests=None,
            request_count=0,
            buffers=tuple(self._buffer(one, vectors) for one in raw),
            counts=None if counted is None else tuple(share.count for share in counted),
        )

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

    def _vectors(self, words: tuple[int, ...], count: int) -> Iterator[list[Share]]:
        for _ in range(min(count, 2)):
            if not words:
                raise MpippError("a call in the ledger has fewer vectors than it says")
            length, typed = words[0] >> 1, words[0] & 1
            counts = words[1 : 1 + length]
            records = words[1 + length : 1 + 2 * length] if typed else (0,) * length
            if len(counts) != length or len(records) != length:
                raise MpippError("a call in the ledger has more peers than numbers")
            words = words[1 + length * (1 + typed) :]
            yield [
                Share(_signed(number), 0, self._datatype(record))
                for number, record in zip(counts, records)
            ]

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
            role=basictypes.plain(self._source.string(head & _ADDRESS)),
            address=self._source.constants.get("MPI_IN_PLACE", 0) if in_place else 0,
            count=_signed(count),
            peers=_signed(words[3]) if len(words) > 3 else 1,
            datatype=datatype,
            handle=datatype.header.handle if isinstance(datatype, DatatypeRecord) else 0,
            access=self._source.bits("access", head >> 56 & 0xF),
            shares=shares,
        )


class _Layout(NamedTuple):
    # How histories lie in memory.
    histories: Decoder[RawHistory]
    pages: Decoder[RawPage]
    call: int
    run: int
    ordinal: int

    @classmethod
    def of(cls, source: Source) -> _Layout:
        return cls(
            source.linked_decoder("histories", RawHistory),
            source.linked_decoder("pages", RawPage),
            *(source.value("item", name) for name in ("call", "run", "ordinal")),
        )


class _Decoder:
    # The items of one history, put in order.

    def __init__(
        self,
        source: Source,
        layout: _Layout,
        channel: Channel,
        make: Callable[[tuple[int, ...]], Call],
    ) -> None:
        self._source = source
        self._layout = layout
        self._channel = channel
        self._make = make
        self._recent: list[Kept] = []
        self._next = 1
        self._back = False  # whether something was said of ordinals before others
        self._found: list[Stretch] = []

    def stretches(self) -> list[Stretch]:
        """All there are."""
        decoder = self._layout.histories
        data = self._source.memory.read(self._channel.history, decoder.size)
        history = decoder.one(data)
        for words in self._pages(history.pages):
            self._take_all(words)
        last = self._channel.count  # ordinal
        if self._channel.sequence == "collectives":
            last = history.noted
        open_run = last + 1 - self._next
        if self._channel.period and open_run > 0 and not history.full:
            self._run(self._channel.period, open_run)
        return list(self._until(last, in_order(self._found) if self._back else self._found))

    def _until(self, last: int, every: Sequence[Stretch]) -> Iterator[Stretch]:
        # Without the call that is being noted at this moment.
        for found in every:
            count = min(found.count, last + 1 - found.first)
            if count > 0:
                yield Stretch(found.first, count, found.calls[:count])

    def _take_all(self, words: tuple[int, ...]) -> None:
        _, _, call, run, ordinal = self._layout
        position = 0
        while position < len(words):
            head = words[position]
            kind, size = head & 0xFF, 1
            if kind == call:
                size = head >> 8 & 0xFFFFFF
                if size < 3 or position + size > len(words):
                    raise MpippError(f"the ledger has a call of {size} words")
                self._one(Kept(words[position : position + size], self._make))
            elif kind == run:
                self._run(head >> 8 & 0xFF, head >> 16)
            elif kind == ordinal:
                self._go_to(head >> 8)
            else:
                raise MpippError(f"the ledger has an item of kind {kind}")
            position += size

    def _one(self, kept: Kept) -> None:
        self._found.append(Stretch(self._next, 1, (kept,)))
        self._next += 1
        self._remember([kept])

    def _run(self, period: int, count: int) -> None:
        if not 0 < period <= min(len(self._recent), _RECENT):
            raise MpippError(f"the ledger has a run with a period of {period}")
        cycle = tuple(self._recent[-period:])
        self._found.append(Stretch(self._next, count, cycle))
        self._next += count
        self._remember([cycle[i % period] for i in range(max(0, count - _RECENT), count)])

    def _remember(self, kept: list[Kept]) -> None:
        self._recent += kept
        if len(self._recent) > 16 * _RECENT:
            del self._recent[:-_RECENT]

    def _go_to(self, ordinal: int) -> None:
        self._back |= ordinal < self._next
        self._next = ordinal
        self._recent = []

    def _pages(self, address: int) -> Iterator[tuple[int, ...]]:
        source, decoder = self._source, self._layout.pages
        seen: set[int] = set()
        while address:
            if address in seen or len(seen) >= _MAX_PAGES:
                raise MpippError("the ledger has a page that follows itself")
            seen.add(address)
            page = decoder.one(source.memory.read(address, decoder.size))
            if not page.used <= page.capacity <= _MAX_WORDS:
                raise MpippError(f"the ledger has a page with {page.used} words")
            yield source.integers(address + decoder.size, page.used, 8, signed=False)
            address = page.next


def in_order(said: Sequence[Stretch]) -> list[Stretch]:
    """Stretches by ordinal; what was said later of an ordinal counts."""
    found: list[Stretch] = []
    for stretch in said:
        at = bisect_left([known.end for known in found], stretch.first + 1)
        end = at
        while end < len(found) and found[end].first < stretch.end:
            end += 1
        pieces = [stretch]
        if at < end and found[at].first < stretch.first:
            pieces.insert(0, found[at].part(found[at].first, stretch.first))
        if at < end and found[end - 1].end > stretch.end:
            pieces.append(found[end - 1].part(stretch.end, found[end - 1].end))
        found[at:end] = pieces
    return found


def _raw_buffers(words: tuple[int, ...], count: int) -> Iterator[tuple[int, ...]]:
    position = 0
    for _ in range(count):
        length = 4 if position < len(words) and words[position] >> 63 else 3
        if position + length > len(words):
            raise MpippError("a call in the ledger has more buffers than words")
        yield words[position : position + length]
        position += length


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word
