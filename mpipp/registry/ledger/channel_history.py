# SPDX-License-Identifier: MIT
"""Decodes the history of a channel: its calls in order (wrapper/recorder/ledger/ledger.h).

The history may grow while it is read: a read returns the part that exists, and the next read the
rest.
"""

from __future__ import annotations

import re
import struct
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.model import Call, Channel, KeptCall, Singles, Stretch
from mpipp.registry.layout.field_table import Decoder
from mpipp.registry.layout.record_fields import RawHistory, RawPage
from mpipp.registry.layout.record_source import Source

_MAX_WORDS = 1 << 24  # words of a page
_MOST_WORDS = 1 << 26  # words of all pages: the wrapper keeps 64 MiB unless the user wants more
_RECENT = 64  # longest sequence of calls that a run repeats
_MOST_KNOWN = 1 << 16  # decoded calls in the cache
_WORD = struct.Struct("<Q")
PLAIN = 48  # bytes of the shortest call: it has one buffer, and nothing else


class Layout(NamedTuple):
    """The layout of histories in memory, and patterns for quick tests."""

    histories: Decoder[RawHistory]
    pages: Decoder[RawPage]
    call: int
    run: int
    ordinal: int
    started: int  # flags of a call whose item also has the place that started it
    # Patterns for calls of the shortest form, which then need no decoding one by one.
    plain: re.Pattern[bytes]  # adjacent calls
    all_plain: re.Pattern[bytes]  # only shortest calls and runs
    heads: re.Pattern[bytes]  # the head of a call or a run
    numbers: re.Pattern[bytes]

    @classmethod
    def of(cls, source: Source) -> Layout:
        """Return the layout that a registry describes."""
        call, run, ordinal = (source.value("item", name) for name in ("call", "run", "ordinal"))
        head = re.escape(bytes((call & 0xFF, PLAIN // 8, 0, 0, 1)))
        return cls(
            source.linked_decoder("histories", RawHistory),
            source.linked_decoder("pages", RawPage),
            call,
            run,
            ordinal,
            source.value("present", "started") | source.value("present", "started_all"),
            re.compile(b"(?s:%b.{%d})+" % (head, PLAIN - 5)),
            re.compile(
                b"(?s:%b.{%d}|%b.{7})*" % (head, PLAIN - 5, re.escape(bytes((run & 0xFF,))))
            ),
            re.compile(b"(?s)(%b.{%d}|).{8}" % (head, PLAIN - 13)),
            re.compile(b"(?s)(?:%b.{%d}|)(.{8})" % (head, PLAIN - 13)),
        )


class History:
    """The calls of a channel, by ordinal.

    Args:
        address: of the channel's record.
        make: decodes a call from its words.
        grows: whether the process runs while the history is read.
    """

    def __init__(
        self,
        source: Source,
        layout: Layout,
        address: int,
        make: Callable[[tuple[int, ...]], Call],
        grows: bool = False,
    ) -> None:
        self._source = source
        self._layout = layout
        self._address = address
        self._make = make
        self._known = CallsByWords(make, layout.started)
        self._grows = grows
        self._page = 0  # address of the page that is being read
        self._read = 0  # words of this page that were read
        self._words = 0  # words of all pages that were read
        self._recent: list[KeptCall] = []
        self._next = 1
        self._highest = 0  # highest ordinal so far
        self._told = 0  # the last returned ordinal of the current run
        self._back = False  # whether an item has replaced earlier ordinals
        self._found: list[Stretch] = []

    def last(self, channel: Channel) -> int:
        """Return the ordinal up to which calls are kept.

        For collective calls this is the last that MPI has accepted. If the process runs, call this
        before reading the arguments of `more`.
        """
        return self._raw().noted if channel.sequence == "collectives" else channel.count

    def more(self, period: int, last: int) -> list[Stretch]:
        """Return new stretches of calls up to ordinal `last`, sorted by ordinal.

        Ordinals without a kept call are left out. Raises MpippError if the history is invalid.

        Args:
            period: the period of the channel's current run, read after `last` and before this call.
            last: the result of `last`.
        """
        for data in self._new_data():
            self._take_all(data)
        # If the process has ended the run since then, the new items already contain it, beyond
        # `last`.
        follows = self._highest == self._next - 1 and not self._raw().full
        if period and follows and last >= self._next:
            self._open_run(period, last)
        self._known.clear()
        del self._recent[:-_RECENT]
        return self._until(last)

    def kinds(self) -> list[KeptCall]:
        """Return the different calls. A later correction of an ordinal does not remove a call.

        Raises MpippError if the history is invalid.
        """
        found: dict[KeptCall, None] = {}
        for data in self._new_data():
            self._take_all(data)
            for stretch in self._found:
                found.update(dict.fromkeys(stretch.calls))
            self._found.clear()
        return list({kept.words: kept for kept in found}.values())

    def outline(self, period: int) -> Items | None:
        """Return the whole history as an outline; None if some calls do not have the shortest form.

        Afterwards `more` returns no calls of this history.

        Args:
            period: that of the channel's current run.
        """
        data = b"".join(self._new_data())
        if not self._layout.all_plain.fullmatch(data):
            return None
        return Items(self._layout, data, 0 if self._raw().full else period, self._make)

    def _raw(self) -> RawHistory:
        decoder = self._layout.histories
        return decoder.decode(self._source.memory.read(self._address, decoder.size))

    def _until(self, last: int) -> list[Stretch]:
        # Leaves a call that the process is writing at this moment for the next read.
        found = in_order(self._found) if self._back else self._found
        self._found, told = [], []
        self._back = False
        for stretch in found:
            if stretch.end - 1 <= last:
                told.append(stretch)
            elif stretch.first <= last:
                told.append(stretch.part(stretch.first, last + 1))
                self._found.append(stretch.part(last + 1, stretch.end))
            else:
                self._found.append(stretch)
        return told

    def _take_all(self, data: bytes) -> None:
        layout = self._layout
        position, end = 0, len(data)
        while position < end:
            plain = layout.plain.match(data, position)
            if plain:
                self._several(data, position, plain.end())
                position = plain.end()
                continue
            (head,) = _WORD.unpack_from(data, position)
            kind, size = head & 0xFF, 8
            if kind == layout.call:
                size = 8 * (head >> 8 & 0xFFFFFF)
                if size < 24 or position + size > end:
                    raise MpippError(f"the ledger has a call of {size // 8} words")
                self._add(Stretch, (self._known[data[position : position + size]],))
            elif kind == layout.run:
                self._run(head >> 8 & 0xFF, head >> 16)
            elif kind == layout.ordinal:
                self._go_to(head >> 8)
            else:
                raise MpippError(f"the ledger has an item of kind {kind}")
            position += size

    def _several(self, data: bytes, start: int, end: int) -> None:
        # Adds a block of adjacent calls of the shortest form at once: there may be a million.
        known = self._known
        places = range(start, end, PLAIN)
        self._add(Singles, tuple([known[data[place : place + PLAIN]] for place in places]))

    def _add(self, make: type[Stretch], calls: tuple[KeptCall, ...]) -> None:
        ordinal, count = self._next, len(calls)
        self._found.append(make(ordinal, count, calls))
        self._next = ordinal + count
        self._highest = max(self._highest, ordinal + count - 1)
        self._remember(calls)

    def _run(self, period: int, count: int) -> None:
        first, cycle = self._next, self._cycle(period)
        self._next += count
        if self._highest < self._next - 1:
            self._highest = self._next - 1
            told = min(max(0, self._told + 1 - first), count)
        else:
            told = 0  # the item repeats earlier ordinals
        if told < count:
            stretch = Stretch(first, count, cycle[:count])
            self._found.append(stretch.part(first + told, first + count) if told else stretch)
        self._remember([cycle[i % period] for i in range(max(0, count - _RECENT), count)])

    def _open_run(self, period: int, last: int) -> None:
        # Adds the current run, which the wrapper writes to the history only when it ends.
        first, cycle = self._next, self._cycle(period)
        told = max(self._told, first - 1)
        if last > told:
            self._found.append(Stretch(first, last + 1 - first, cycle).part(told + 1, last + 1))
            self._told = last

    def _cycle(self, period: int) -> tuple[KeptCall, ...]:
        if not 0 < period <= min(len(self._recent), _RECENT):
            raise MpippError(f"the ledger has a run with a period of {period}")
        return tuple(self._recent[-period:])

    def _remember(self, kept: Sequence[KeptCall]) -> None:
        self._recent += kept[-_RECENT:]
        if len(self._recent) > 16 * _RECENT:
            del self._recent[:-_RECENT]

    def _go_to(self, ordinal: int) -> None:
        self._back |= ordinal < self._next
        self._next = ordinal
        self._recent = []

    def _new_data(self) -> Iterator[bytes]:
        # Yields new items as little-endian words.
        source, decoder = self._source, self._layout.pages
        read = source.memory.fresh if self._grows else source.memory.read
        address = self._page or self._raw().pages
        while address:
            if address != self._page:
                self._words += decoder.size // 8
                self._page, self._read = address, 0
            page = decoder.decode(source.memory.read(address, decoder.size))
            if not self._read <= page.used <= page.capacity <= _MAX_WORDS:
                raise MpippError(f"the ledger has a page with {page.used} words")
            start, self._read = self._read, page.used
            self._words += page.used - start
            if page.next == address:
                raise MpippError("the ledger has a page that follows itself")
            if self._words > _MOST_WORDS:
                raise MpippError(
                    f"a history has more than {8 * _MOST_WORDS} bytes: mpipp reads no more"
                )
            # Read first the number of words, then the words: the process may write more meanwhile.
            data = read(address + decoder.size + 8 * start, 8 * (page.used - start))
            yield data if source.byte_order == "<" else _swapped(data)
            address = page.next


class Items:
    """The outline of a history (`model.Outline`)."""

    def __init__(
        self, layout: Layout, data: bytes, period: int, make: Callable[[tuple[int, ...]], Call]
    ) -> None:
        self._layout = layout
        self._data = data
        self._make = make
        self.period = period

    @cached_property
    def heads(self) -> list[bytes]:
        """The first words of each item: see `Outline`."""
        return self._layout.heads.findall(self._data)

    @cached_property
    def numbers(self) -> list[bytes]:
        """The last word of each item: see `Outline`."""
        return self._layout.numbers.findall(self._data)

    def call(self, head: bytes, count: int) -> Call:
        """Return the call with this head and count."""
        return self._make(_words(head + _WORD.pack(count)))


class CallsByWords(dict[bytes, KeptCall]):
    """The calls of a history by their words; a missing call is decoded.

    Args:
        make: decodes a call from its words.
        started: the bits of a call that has a second place behind its first three words.
    """

    def __init__(self, make: Callable[[tuple[int, ...]], Call], started: int) -> None:
        super().__init__()
        self._of = lambda data: make(_words(data))
        self._started = started

    def __missing__(self, data: bytes) -> KeptCall:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        kept = self[data] = KeptCall(data, self._key(data), self._of)
        return kept

    def _key(self, data: bytes) -> bytes:
        # The words of a call without its places in the source.
        present = int.from_bytes(data[16:24], "little")
        rest = data[32:] if present & self._started else data[24:]
        return data[:8] + data[16:24] + rest


def _words(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 8}Q", data)


def _swapped(data: bytes) -> bytes:
    words = array("Q", data)
    words.byteswap()
    return words.tobytes()


def in_order(said: Sequence[Stretch]) -> list[Stretch]:
    """Return stretches sorted by ordinal. A later stretch replaces earlier ones of its ordinals."""
    found: list[Stretch] = []
    ends: list[int] = []
    for stretch in said:
        if not ends or stretch.first >= ends[-1]:
            found.append(stretch)
            ends.append(stretch.end)
            continue
        at = bisect_left(ends, stretch.first + 1)
        end = at
        while end < len(found) and found[end].first < stretch.end:
            end += 1
        pieces = [stretch]
        if at < end and found[at].first < stretch.first:
            pieces.insert(0, found[at].part(found[at].first, stretch.first))
        if at < end and found[end - 1].end > stretch.end:
            pieces.append(found[end - 1].part(stretch.end, found[end - 1].end))
        found[at:end] = pieces
        ends[at:end] = [piece.end for piece in pieces]
    return found
