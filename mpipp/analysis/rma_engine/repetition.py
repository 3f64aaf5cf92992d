# SPDX-License-Identifier: MIT
"""Repeated events, as in the iterations of a loop, which the replay analyses once.

All processes pause after a call in which all wait for all. Often no access, message, request or
lock matters to later events then. The state may equal that at an earlier pause. If the same events
are then repeated, they change only numbers and times. So the replay leaves out their repetitions,
except one, and counts the errors.

This is exact. The clocks do not advance, and no later event can notice that: everything before the
call happens before everything after it. The numbers of events that reports show become those of the
last round that was left out.

Each pause also drops accesses that have ended, whether events repeat or not. So the results are
equal.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from mpipp.analysis.rma_engine.conflicts.conflict import Lines
from mpipp.analysis.rma_engine.exposure_epochs import Exposures
from mpipp.analysis.rma_engine.message_order import Messages
from mpipp.analysis.rma_engine.operations import Operations
from mpipp.analysis.rma_engine.polling import Polling
from mpipp.analysis.rma_engine.process_clock import TURN, ReplayedProcess, common_segments
from mpipp.model.rma_events import Collective, Event, Synchronization
from mpipp.model.rma_logs import RepeatableEvents

_MOST_CALLS = 64  # calls in a round
_MOST_LENGTHS = 8  # lengths of a round that are tried at one time
_MOST_WAIT = 1 << 12  # calls between two attempts that fail
_MOST_TIMES = 1 << 62


class State(NamedTuple):
    """The state of the replay while all processes pause.

    Attributes:
        shape: equal in states from which equal events have equal effects.
        numbers: for each process the number of its last event.
        collectives: for each process its last event, if it is a collective call.
        conflicts: the number of conflicts for each pair of lines.
        mistakes: the number of mistakes for each pair of lines.
        events, unknown: numbers of events and of operations with unknown bytes.
    """

    shape: Hashable
    numbers: list[int]
    collectives: list[Collective | None]
    conflicts: dict[Lines, int]
    mistakes: dict[tuple[str, int, int], int]
    events: int
    unknown: int


class Repetition:
    """The search for repeated events; `pause` is called when all processes pause."""

    def __init__(
        self,
        processes: list[ReplayedProcess],
        messages: Messages,
        operations: Operations,
        polling: Polling,
        exposures: Exposures,
    ) -> None:
        self._processes = processes
        self._messages = messages
        self._operations = operations
        self._polling = polling
        self._exposures = exposures
        self.left_out = 0  # events
        sources = (process.source for process in processes)
        self._sources = [one for one in sources if isinstance(one, RepeatableEvents)]
        # With threads, no two pauses have equal states, because the clocks of threads differ.
        have_threads = any(process.threads is not None for process in processes)
        self._enabled = len(self._sources) == len(processes) and not have_threads
        # For each pause: the number of events since the previous pause, and the last event, of each
        # process.
        self._rounds: list[tuple[int, ...]] = []
        self._at: list[list[int]] = []
        # The state at the beginning of the analysed round, the number of its calls that remain, and
        # the number of its repetitions.
        self._begun: tuple[State, int, int] | None = None
        self._wait = 1  # number of pauses until the next attempt
        self._failures = 0

    def pause(self, events: int) -> None:
        """Leave out the next events if they repeat the last; `events`: their number so far."""
        self._operations.conflicts.drop_ended()
        if not self._enabled:
            return
        numbers = [process.number for process in self._processes]
        before = self._at[-1] if self._at else [0] * len(numbers)
        self._at.append(numbers)
        self._rounds.append(tuple(one - other for one, other in zip(numbers, before)))
        if self._begun is not None:
            self._end_round(events)
        elif self._wait > 1:
            self._wait -= 1
        else:
            self._begin_round(events)
        if len(self._at) > 4 * _MOST_CALLS:
            del self._rounds[: -2 * _MOST_CALLS], self._at[: -2 * _MOST_CALLS]

    def _begin_round(self, events: int) -> None:
        for length in self._lengths():
            first, last = self._at[-1 - length], self._at[-1]
            times = _MOST_TIMES
            for source, one, other in zip(self._sources, first, last):
                times = min(times, source.repetitions(one, other) if times > 1 else 0)
            if times > 1:
                state = self._state(events)
                if state is not None:
                    self._begun = state, length, times - 1
                    return
                break
        self._fail()

    def _lengths(self) -> list[int]:
        # Possible lengths of a round in calls: the numbers of events between the last calls are
        # repeated.
        rounds, last = self._rounds, len(self._rounds)
        return [
            length
            for length in range(1, min(_MOST_CALLS, last // 2) + 1)
            if rounds[-1 - length] == rounds[-1]
            and rounds[last - length :] == rounds[last - 2 * length : last - length]
        ][:_MOST_LENGTHS]

    def _fail(self) -> None:
        self._failures += 1
        self._wait = min(1 << self._failures, _MOST_WAIT)

    def _end_round(self, events: int) -> None:
        assert self._begun is not None
        begun, length, times = self._begun
        if length > 1:
            self._begun = begun, length - 1, times
            return
        self._begun = None
        ended = self._state(events)
        if ended is None or begun.shape != ended.shape or not self._settled(begun, ended):
            self._fail()
            return
        self._leave_out(begun, ended, times)
        self._failures = 0
        self._at[-1] = [process.number for process in self._processes]

    def _settled(self, begun: State, ended: State) -> bool:
        # Return whether enough conflicts of each kind in the round are kept already: later
        # conflicts are only counted.
        conflicts = self._operations.conflicts
        return begun.conflicts.keys() == ended.conflicts.keys() and all(
            conflicts.is_settled(key)
            for key, times in ended.conflicts.items()
            if times != begun.conflicts[key]
        )

    def _leave_out(self, begun: State, ended: State, times: int) -> None:
        for source in self._sources:
            source.leave_out(times)
        for process, first, last in zip(self._processes, begun.numbers, ended.numbers):
            self._renumber(process, begun, first, (last - first) * times, times)
        conflicts, mistakes = self._operations.conflicts, self._operations.mistakes
        for key, number in ended.conflicts.items():
            conflicts.times[key] += times * (number - begun.conflicts[key])
        for rule, number in ended.mistakes.items():
            mistakes.count(rule, times * (number - begun.mistakes[rule]))
        self._operations.unknown += times * (ended.unknown - begun.unknown)
        self.left_out += times * (ended.events - begun.events)

    def _renumber(
        self, process: ReplayedProcess, begun: State, first: int, shift: int, times: int
    ) -> None:
        # Gives the process's events of the analysed round the numbers of the last equal ones.
        before = begun.collectives[process.index]

        def later(event: Event | None) -> Event | None:
            if event is None or event.moment.number <= first:
                return event
            moment = event.moment._replace(number=event.moment.number + shift)
            if isinstance(event, Collective) and before is not None:
                ordinal = event.ordinal + times * (event.ordinal - before.ordinal)
                return event._replace(moment=moment, ordinal=ordinal)
            return event._replace(moment=moment)

        def call(event: Synchronization | None) -> Synchronization | None:
            found = later(event)
            return found if isinstance(found, Synchronization) else None

        process.number += shift
        process.turn = (process.number // TURN + 1) * TURN
        process.last = later(process.last)
        process.seen = [later(event) for event in process.seen]
        process.told[-1] += shift if process.told[-1] > first else 0
        process.changed = True
        for window in self._operations.windows.values():
            mine = window.epochs.get(process.index)
            if mine is not None:
                self._operations.conflicts.move_epochs(process.index, mine, call)
                mine.renumber(call)

    def _state(self, events: int) -> State | None:
        # The state; None if something is pending.
        conflicts = self._operations.conflicts
        messages, processes = self._messages, self._processes
        if messages.is_pending() or any(one.requests or one.several for one in processes):
            return None
        if conflicts.is_pending():
            return None
        epochs = list[Hashable]()
        for identity, window in self._operations.windows.items():
            if window.is_pending():
                return None
            for index, mine in window.epochs.items():
                reading = conflicts.reading_epochs(index, mine)
                epochs.append((identity, index, mine.shape(), reading))
        exposed = self._exposures.shape(common_segments(processes))
        if exposed is None:
            return None
        flags = self._operations.flags
        shape = (
            tuple(epochs),
            exposed,
            flags.shape(),
            self._polling.shape(),
            tuple((one.rare, frozenset(one.users)) for one in processes),
            (conflicts.forgotten, self._operations.attachments.shape()),
            tuple(self._operations.mistakes.found),
        )
        return State(
            shape,
            [one.number for one in processes],
            [one.last if isinstance(one.last, Collective) else None for one in processes],
            dict(conflicts.times),
            {key: one.times for key, one in self._operations.mistakes.found.items()},
            events,
            self._operations.unknown,
        )
