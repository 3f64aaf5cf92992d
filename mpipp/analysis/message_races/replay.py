# SPDX-License-Identifier: MIT
"""Replay of the events of all processes, each after its predecessors, to find races of messages.

The order is that of one-sided operations (`analysis/rma_engine`). Windows only matter because their
fences, and their post, start, complete and wait, order processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mpipp.analysis.message_races.inbox import Inbox
from mpipp.analysis.message_races.messages import MATCHING, Race, Send, Taker, Taking
from mpipp.analysis.message_races.window_order import WindowOrder
from mpipp.analysis.rma_engine.message_order import Messages
from mpipp.analysis.rma_engine.process_clock import (
    ReplayedProcess,
    Steps,
    WaitTable,
    common_segments,
)
from mpipp.model.message_events import Channel, Partitions, Probed, ReceiveBegun, Received, Sent
from mpipp.model.rma_events import Collective, Completed, Event, Finalized, OtherWorldContact

TURN = 256  # events of a process in one turn
_MOST_RACES = 4096  # combinations of places


class Result(NamedTuple):
    """The results of the analysis.

    Attributes:
        races: one race for each combination of places.
        cut: the processes whose last events were not analysed.
        threaded: the processes in which several threads communicate; they are assumed to be in the
            order of the events.
        reads_windows: whether processes read windows, whose values may order messages.
        has_other_worlds: whether processes of another MPI_COMM_WORLD may order messages.
        forgotten: number of receives that were dropped before later messages were compared.
    """

    races: list[Race]
    cut: frozenset[int]
    threaded: frozenset[int]
    reads_windows: bool
    has_other_worlds: bool
    forgotten: int


class _Analysis:
    def __init__(self, events: Mapping[int, Iterable[Event]]) -> None:
        self.indices = {rank: at for at, rank in enumerate(sorted(events))}
        number = len(self.indices)
        self.processes = [
            ReplayedProcess(rank, at, number, events[rank]) for rank, at in self.indices.items()
        ]
        self.waits = WaitTable()
        self.messages = Messages(self.waits, self.indices)
        self.windows = WindowOrder(self.messages, self.indices)
        self.inboxes: dict[tuple[int, int], Inbox] = {}  # by communicator and process
        self.races: dict[object, Race] = {}
        self.ordinals = [0] * number  # of receives with MPI_ANY_SOURCE, by process
        self.synchronous: list[dict[int, Send]] = [{} for _ in self.processes]  # by request
        self.threads: list[set[int]] = [set() for _ in self.processes]
        self.has_other_worlds = False

    def run(self) -> Result:
        steps = [self._steps(process) for process in self.processes]
        self.waits.ready += range(len(steps))
        while self.waits.ready:
            self.waits.turn(steps)
            self._sweep()
        is_whole = all(process.ended for process in self.processes)
        for inbox in self.inboxes.values() if is_whole else ():
            inbox.finish()
        return Result(
            list(self.races.values()),
            frozenset(process.rank for process in self.processes if not process.ended),
            frozenset(
                process.rank
                for process, threads in zip(self.processes, self.threads)
                if len(threads) > 1
            ),
            self.windows.reads,
            self.has_other_worlds,
            sum(inbox.forgotten for inbox in self.inboxes.values()),
        )

    def _sweep(self) -> None:
        common = common_segments(self.processes)
        for (_, index), inbox in self.inboxes.items():
            inbox.sweep(common[index])

    def _steps(self, process: ReplayedProcess) -> Steps:
        left = TURN
        for event in process.events:
            left -= 1
            if not left:
                left = TURN
                yield None
            process.number = event.moment.number
            yield from self._step(process, event)

    def _step(self, process: ReplayedProcess, event: Event) -> Steps:
        if isinstance(event, Sent):
            self._send(process, event)
        elif isinstance(event, Received):
            yield from self.messages.receive(process, event)
            self._receive(process, event)
        elif isinstance(event, ReceiveBegun):
            self._begin(process, event)
            self.messages.begin(process, event)
        elif isinstance(event, Probed):
            yield from self.messages.probe(process, event)
            self._probe(process, event)
        elif isinstance(event, Collective):
            yield from self.messages.collective(process, event)
        elif isinstance(event, Completed):
            yield from self.messages.complete(process, event)
            self._complete(process, event)
        elif isinstance(event, Partitions):
            yield from self.messages.partitions(process, event)
        elif isinstance(event, Finalized):
            process.ended = True
        elif isinstance(event, OtherWorldContact):
            self.has_other_worlds = True
        else:
            yield from self.windows.step(process, event)

    def _inbox(self, channel: Channel) -> Inbox:
        key = channel.context, self.indices.get(channel.destination, -1)
        found = self.inboxes.get(key)
        if found is None:
            found = self.inboxes[key] = Inbox(key[1], self._found)
        return found

    def _found(self, race: Race) -> None:
        instead = race.instead.place if race.instead else 0
        where = race.taker.process, race.taker.place, instead, race.other.event.moment.place
        key = *where, race.is_of_one_sender
        known = self.races.get(key)
        if known is not None:
            self.races[key] = known._replace(times=known.times + 1)
        elif len(self.races) < _MOST_RACES:
            self.races[key] = race

    def _send(self, process: ReplayedProcess, event: Sent) -> None:
        self.threads[process.index].add(event.moment.thread)
        self.messages.send(process, event)
        told, _ = self.messages.sent[event.channel]
        send = Send(process.index, event, told)
        if event.synchronous and event.request:
            self.synchronous[process.index][event.request] = send
        self._inbox(event.channel).send(send)

    def _complete(self, process: ReplayedProcess, event: Completed) -> None:
        for request in event.requests:
            send = self.synchronous[process.index].pop(request, None)
            if send is not None:
                send.known_at = process.time

    def _taker(self, process: ReplayedProcess, event: Taking) -> Taker:
        ordinal = 0
        if event.any_source:
            ordinal = self.ordinals[process.index] = self.ordinals[process.index] + 1
        self.threads[process.index].add(event.moment.thread)
        return Taker(process.index, event, ordinal)

    def _begin(self, process: ReplayedProcess, event: ReceiveBegun) -> None:
        inbox = self._inbox(event.channel)
        if event.channel not in inbox.taken_early:
            inbox.begin(self._taker(process, event))

    def _receive(self, process: ReplayedProcess, event: Received) -> None:
        inbox = self._inbox(event.channel)
        if event.channel in inbox.taken_early:
            inbox.taken_early.discard(event.channel)
            return
        taker = inbox.pending.get(event.channel)
        if taker is None:  # a blocking receive
            taker = self._taker(process, event)
            inbox.begin(taker)
        inbox.end(taker, process.time)

    def _probe(self, process: ReplayedProcess, event: Probed) -> None:
        inbox, taker = self._inbox(event.channel), self._taker(process, event)
        if event.moment.procedure in MATCHING:
            inbox.begin(taker)
            inbox.end(taker, process.time)
            inbox.taken_early.add(event.channel)
        else:
            inbox.probe(taker, process.time)


def analyse(events: Mapping[int, Iterable[Event]]) -> Result:
    """Return the races of messages in the events of all processes.

    The keys are ranks in MPI_COMM_WORLD. The events are read on demand, and not kept.
    """
    return _Analysis(events).run()
