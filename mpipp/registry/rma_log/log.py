# SPDX-License-Identifier: MIT
"""The RMA log of a process, as events that can leave out repeated ones."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Container, Iterator, Sequence

from mpipp.common.errors import MpippError
from mpipp.model.moment import Moment
from mpipp.model.rma_events import FLAGS, USES, Event, FlagUse
from mpipp.model.rma_logs import ScreenedLog, Selection
from mpipp.registry.decode.datatypes import Datatypes
from mpipp.registry.layout.record_source import Source
from mpipp.registry.rma_log import entries
from mpipp.registry.rma_log.decode_entries import STEPS, Around, LoggedCalls, Reach
from mpipp.registry.rma_log.entries import Kinds, Receives
from mpipp.registry.rma_log.events import DAMAGED, Cut, Events
from mpipp.registry.rma_log.reading_progress import PROGRESS
from mpipp.registry.rma_log.repeated_entries import repetitions
from mpipp.registry.rma_log.screen import SCREEN


def log_of(
    source: Source, datatypes: Datatypes, ops: Callable[[int], object], rank: int | None
) -> Log | None:
    """Return the log of the process with that rank; None if the process kept no log."""
    root = source.root()
    if rank is None or not root.onesided:
        return None
    around = Around(source, datatypes.at, ops, rank, root.world_size, root.onesided_lost)
    return Log(around, *entries.words(source, root.onesided))


_REPORTED = 1 << 12  # entries between two reports of progress


class Log(LoggedCalls):
    """The log of one process, as events."""

    def events(
        self,
        reach: Callable[[int, int], Reach | None],
        queried: Container[int],
        selection: Selection | None = None,
    ) -> LoggedEvents:
        """Return the events in order, as long as they are certain and the log is valid.

        Args:
            reach: returns a window's memory, by its identity and a rank in its group.
            queried: identities of the windows whose memory in other processes any process has
                queried.
            selection: the entries whose events are needed; None: all.
        """
        around = reach, queried
        return LoggedEvents(self, self.words, self._places, self._kinds, around, selection)

    def selections_with(self, others: Sequence[ScreenedLog]) -> Sequence[Selection] | None:
        """Return the entries that the analysis of this log and those of all other processes needs.

        This is fast. Returns an empty list if there are certainly no findings, and None if the
        analysis needs all entries.
        """
        return SCREEN.selections([self, *others])


class LoggedEvents:
    """The events of a log, which can leave out repeated ones."""

    def __init__(
        self,
        log: Log,
        words: array[int],
        places: entries.Places,
        kinds: Kinds,
        around: tuple[Callable[[int, int], Reach | None], Container[int]],
        selection: Selection | None,
    ) -> None:
        self._log = log
        self._words = words
        self._places = places
        self._kinds = kinds
        self._around = around
        self._selected = selection.entries if selection else None
        self._flags = selection.flags[::-1] if selection else []  # the last one comes first
        self._next = 0  # number of the next entry
        self._read = 0  # words that were read, at the last report of progress
        self._report = 0  # number of the entry of the next report
        PROGRESS.expect(len(words))
        self._round = 0  # entries in one repetition, as found by `repetitions`

    def __iter__(self) -> Iterator[Event]:
        kinds, words, places = self._kinds, self._words, self._places.all
        repeated = kinds.operation, kinds.synchronization
        try:
            taken = self._log.selected(kinds.receive, kinds.started, kinds.matched, kinds.completed)
            made = Events(self._log, kinds, Receives(taken, kinds), *self._around)
            while (number := self._number()) < len(places):
                self._next = number + 1
                at = places[number]
                if number >= self._report:
                    PROGRESS.add(at - self._read)
                    self._read, self._report = at, number + _REPORTED
                while self._flags and self._flags[-1].entry <= number:
                    yield self._flag_use()
                if entries.kind(words[at]) in repeated:
                    yield made.cached_event(number, entries.written(words, at))
                else:
                    yield from made.of(self._log.entry(number))
        except (Cut, MpippError, *DAMAGED):
            return

    def _number(self) -> int:
        # The number of the next entry that is needed.
        if self._selected is None:
            return self._next
        number = self._selected.find(1, self._next)
        return len(self._places.all) if number < 0 else number

    def _flag_use(self) -> FlagUse:
        entry, serial, owner, flag, use = self._flags.pop()
        moment = Moment(self._log.rank, 0, entry * STEPS, 0, "")
        identity, _, _ = self._log.windows[serial]
        return FlagUse(moment, FLAGS[flag], USES[use], identity, owner)

    def repetitions(self, first: int, last: int) -> int:
        """Return how often the events after number `first`, up to `last`, are repeated behind
        `last`."""
        begin, end = first // STEPS + 1, last // STEPS + 1
        self._round = end - begin
        if self._flags:
            return 0
        times = repetitions(self._words, self._places, self._kinds, begin, end)
        return times if self._selected is None else self._times(begin, end, times)

    def _times(self, begin: int, end: int, most: int) -> int:
        # How often equal entries are selected behind `end`.
        assert self._selected is not None
        size, times = end - begin, 0
        selected = self._selected[begin:end]
        while times < most and self._selected.startswith(selected, end + times * size):
            times += 1
        return times

    def leave_out(self, times: int) -> None:
        """Skip this number of the repetitions that `repetitions` has just found."""
        self._next += times * self._round
