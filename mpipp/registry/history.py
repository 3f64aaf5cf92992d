# SPDX-License-Identifier: MIT
"""The history of a channel: its items put in order (wrapper/recorders/ledger.h).

It may grow while it is read: what is there is told, and the rest when it is asked for again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mpipp.errors import MpippError
from mpipp.model import Call, Channel, Kept, Stretch
from mpipp.registry.fields import Decoder
from mpipp.registry.records import RawHistory, RawPage
from mpipp.registry.source import Source

_MAX_PAGES = 1 << 16
_MAX_WORDS = 1 << 24  # of a page
_RECENT = 64  # calls that a run may look back


class Layout(NamedTuple):
    """How histories lie in memory."""

    histories: Decoder[RawHistory]
    pages: Decoder[RawPage]
    call: int
    run: int
    ordinal: int

    @classmethod
    def of(cls, source: Source) -> Layout:
        """That of a registry."""
        return cls(
            source.linked_decoder("histories", RawHistory),
            source.linked_decoder("pages", RawPage),
            *(source.value("item", name) for name in ("call", "run", "ordinal")),
        )


class History:
    """The calls of a channel, by ordinal.

    Args:
        address: of its record.
        make: a call of its words.
    """

    def __init__(
        self,
        source: Source,
        layout: Layout,
        address: int,
        make: Callable[[tuple[int, ...]], Call],
    ) -> None:
        self._source = source
        self._layout = layout
        self._address = address
        self._make = make
        self._page = 0  # the one that is read
        self._read = 0  # words of it
        self._pages = 0
        self._recent: list[Kept] = []
        self._next = 1
        self._highest = 0  # the highest ordinal that is written
        self._told = 0  # up to there the run that goes on was told
        self._back = False  # whether something was said of ordinals before others
        self._found: list[Stretch] = []

    def last(self, channel: Channel) -> int:
        """The ordinal up to which calls are kept: collective ones are when MPI has accepted them.

        Of a process that runs it must be read before what else `more` is given.
        """
        return self._raw().noted if channel.sequence == "collectives" else channel.count

    def more(self, period: int, last: int) -> list[Stretch]:
        """Those up to an ordinal that were not told before, in order of ordinals.

        Ordinals of which nothing is kept are left out. Raises MpippError when it makes no sense.

        Args:
            period: that of the channel's run, read after `last` and before this is called.
        """
        for words in self._new_words():
            self._take_all(words)
        # A run that was closed since is among the items, beyond the last.
        follows = self._highest == self._next - 1 and not self._raw().full
        if period and follows and last >= self._next:
            self._open_run(period, last)
        return self._until(last)

    def _raw(self) -> RawHistory:
        decoder = self._layout.histories
        return decoder.one(self._source.memory.read(self._address, decoder.size))

    def _until(self, last: int) -> list[Stretch]:
        # Without the call that is being noted at this moment, which is told the next time.
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
        # There may be a million.
        ordinal, recent = self._next, self._recent
        self._found.append(Stretch(ordinal, 1, (kept,)))
        self._next = ordinal + 1
        if ordinal > self._highest:
            self._highest = ordinal
        recent.append(kept)
        if len(recent) > 16 * _RECENT:
            del recent[:-_RECENT]

    def _run(self, period: int, count: int) -> None:
        first, cycle = self._next, self._cycle(period)
        self._next += count
        if self._highest < self._next - 1:
            self._highest = self._next - 1
            told = min(max(0, self._told + 1 - first), count)
        else:
            told = 0  # said of ordinals before
        if told < count:
            stretch = Stretch(first, count, cycle[:count])
            self._found.append(stretch.part(first + told, first + count) if told else stretch)
        self._remember([cycle[i % period] for i in range(max(0, count - _RECENT), count)])

    def _open_run(self, period: int, last: int) -> None:
        # The one that goes on is not written yet.
        first, cycle = self._next, self._cycle(period)
        told = max(self._told, first - 1)
        if last > told:
            self._found.append(Stretch(first, last + 1 - first, cycle).part(told + 1, last + 1))
            self._told = last

    def _cycle(self, period: int) -> tuple[Kept, ...]:
        if not 0 < period <= min(len(self._recent), _RECENT):
            raise MpippError(f"the ledger has a run with a period of {period}")
        return tuple(self._recent[-period:])

    def _remember(self, kept: list[Kept]) -> None:
        self._recent += kept
        if len(self._recent) > 16 * _RECENT:
            del self._recent[:-_RECENT]

    def _go_to(self, ordinal: int) -> None:
        self._back |= ordinal < self._next
        self._next = ordinal
        self._recent = []

    def _new_words(self) -> Iterator[tuple[int, ...]]:
        source, decoder = self._source, self._layout.pages
        address = self._page or self._raw().pages
        while address:
            if address != self._page:
                self._pages += 1
                if self._pages > _MAX_PAGES:
                    raise MpippError("the ledger has a page that follows itself")
                self._page, self._read = address, 0
            page = decoder.one(source.memory.read(address, decoder.size))
            if not self._read <= page.used <= page.capacity <= _MAX_WORDS:
                raise MpippError(f"the ledger has a page with {page.used} words")
            start, self._read = self._read, page.used
            # After what says how many they are: the process may be writing more.
            place, size = address + decoder.size + 8 * start, 8 * (page.used - start)
            yield source.unpack(source.memory.fresh(place, size), 8, signed=False)
            address = page.next


def in_order(said: Sequence[Stretch]) -> list[Stretch]:
    """Stretches by ordinal; what was said later of an ordinal counts."""
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
