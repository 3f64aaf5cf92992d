# SPDX-License-Identifier: MIT
"""The order of processes that follows from messages and collective calls, which transfer data."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from mpipp.analysis.rma_engine.process_clock import ReplayedProcess, Steps, WaitTable, join_clocks
from mpipp.model.message_events import Channel, Partitions, Probed, ReceiveBegun, Received, Sent
from mpipp.model.rma_events import Collective, Completed, Event


class Meeting:
    """A collective call, with the clock of each process at its start.

    For a fence, `origins` have operations in the epoch that it opens, and `targets` are their
    targets.
    """

    def __init__(self, key: Hashable, size: int, number: int) -> None:
        self.key = key
        self.size = size
        self.begun: dict[int, tuple[int, ...]] = {}
        self.joint = (-1,) * number
        self.origins = set[int]()
        self.waiting = 0  # number of processes that wait in the call until all have begun it
        self.targets = set[int]()

    @property
    def full(self) -> bool:
        """True if all processes have begun the call."""
        return len(self.begun) >= self.size

    @property
    def is_barrier(self) -> bool:
        """True if all processes of the run wait for all in this call."""
        return self.waiting == self.size == len(self.joint)


class _Ready:
    # The ready partitions of one message; `joint` combines the clocks of all of them.
    def __init__(self, all_of_them: int, number: int) -> None:
        self.all = all_of_them
        self.marked = 0
        self.joint = (-1,) * number
        self._told: list[tuple[int, int, tuple[int, ...]]] = []

    def mark(self, first: int, number: int, told: tuple[int, ...]) -> None:
        self.marked += number
        self.joint = join_clocks(self.joint, told)
        self._told.append((first, first + number, told))

    def arrival_clock(self, event: Partitions) -> tuple[int, ...] | None:
        """Return the clock after these partitions arrived, or None if not all are ready."""
        if event.number == event.all:
            return self.joint if self.marked >= self.all else None
        first = event.first * self.all // event.all
        end = -(-(event.first + event.number) * self.all // event.all)
        found, ready = (-1,) * len(self.joint), 0
        for low, high, told in self._told:
            common = min(high, end) - max(low, first)
            if common > 0:
                ready += common
                found = join_clocks(found, told)
        return found if ready >= end - first else None


class Messages:
    """All messages and collective calls that are not complete."""

    def __init__(self, waits: WaitTable, indices: dict[int, int]) -> None:
        self.waits = waits
        self.indices = indices
        self.sent: dict[Channel, tuple[tuple[int, ...], bool]] = {}
        self.received: dict[Channel, tuple[int, ...]] = {}
        self.meetings: dict[Hashable, Meeting] = {}
        self.ready: dict[tuple[Channel, int], _Ready] = {}  # key: channel, number of the start
        self.arrived: dict[Channel, int] = {}  # the last complete start

    def is_pending(self) -> bool:
        """Return whether any message or collective call has begun and not ended."""
        return bool(self.sent or self.received or self.meetings or self.ready)

    def send(self, process: ReplayedProcess, event: Sent) -> None:
        """Begin a send: the message carries the process's clock."""
        channel = event.channel
        self.sent[channel] = process.release(), event.synchronous
        if event.synchronous and event.request:
            process.requests[event.request] = lambda by: self._matched(process, channel, by)
        self.waits.done(channel)

    def _matched(self, process: ReplayedProcess, channel: Channel, event: Event) -> Steps:
        while channel not in self.received:
            yield "received", channel
        process.merge_clock(self.received.pop(channel), event)

    def begin(self, process: ReplayedProcess, event: ReceiveBegun) -> None:
        """Begin a receive.

        A synchronous send ends after this begin, even if the receive ends much later.
        """
        self._take(event.channel, process.release())

    def _take(self, channel: Channel, known: tuple[int, ...]) -> None:
        self.received[channel] = known
        self.waits.done(("received", channel))

    def receive(self, process: ReplayedProcess, event: Received) -> Steps:
        """Complete a receive."""
        channel = event.channel
        while channel not in self.sent:
            yield channel
        told, synchronous = self.sent.pop(channel)
        if synchronous and not event.begun:
            self._take(channel, process.release())
        elif not synchronous:
            self.received.pop(channel, None)
        process.merge_clock(told, event)

    def probe(self, process: ReplayedProcess, event: Probed) -> Steps:
        """Note that a probe has found a message."""
        while event.channel not in self.sent:
            yield event.channel
        process.merge_clock(self.sent[event.channel][0], event)

    def partitions(self, process: ReplayedProcess, event: Partitions) -> Steps:
        """Note that partitions are ready, or have arrived."""
        channel, key = event.channel, (event.channel, event.start)
        if event.ready:
            known = self.ready.setdefault(key, _Ready(event.all, len(process.clock)))
            known.mark(event.first, event.number, process.release())
            self.waits.done(("partitions", key))
            return
        told = None
        if not event.number or event.start <= self.arrived.get(channel, -1):
            return
        while told is None:
            if key in self.ready:
                told = self.ready[key].arrival_clock(event)
            if told is None:
                yield "partitions", key
        process.merge_clock(told, event)
        if event.number == event.all:
            del self.ready[key]
            self.arrived[channel] = event.start

    def complete(self, process: ReplayedProcess, event: Completed) -> Steps:
        """Complete requests."""
        for request in event.requests:
            steps = process.requests.pop(request, None)
            if steps is not None:
                yield from steps(event)

    def meet(
        self,
        process: ReplayedProcess,
        key: Hashable,
        size: int,
        *,
        gives: bool = True,
        waits: bool = False,
    ) -> Meeting:
        """Begin a collective call of `size` processes.

        With `gives`, the call has data for others, which orders them after this process. With
        `waits`, it ends after all have begun it.
        """
        meeting = self.meetings.get(key)
        if meeting is None:
            meeting = self.meetings[key] = Meeting(key, size, len(process.clock))
        told = process.release() if gives else (-1,) * len(process.clock)
        meeting.begun[process.index] = told
        meeting.waiting += gives and waits
        meeting.joint = join_clocks(meeting.joint, told)
        if meeting.full:
            # All processes that still wait for the call hold a reference to it.
            del self.meetings[key]
            self.waits.done(("all", key))
        self.waits.done((process.index, key))
        return meeting

    def wait_for_all(self, process: ReplayedProcess, meeting: Meeting, event: Event) -> Steps:
        """Wait until all processes have begun the call."""
        while not meeting.full:
            yield "all", meeting.key
        process.merge_clock(meeting.joint, event)
        process.pauses = meeting.is_barrier

    def _meet_sources(
        self, process: ReplayedProcess, meeting: Meeting, sources: Sequence[int], event: Event
    ) -> Steps:
        for rank in sources:
            if rank == process.rank or rank not in self.indices:
                continue
            index = self.indices[rank]
            while index not in meeting.begun:
                yield index, meeting.key
            process.merge_clock(meeting.begun[index], event)

    def collective(self, process: ReplayedProcess, event: Collective) -> Steps:
        """Begin a collective call; without a request, also wait for its end."""
        key = event.context, event.ordinal
        waits = event.sources is None and not event.request
        meeting = self.meet(process, key, event.size, gives=event.gives, waits=waits)

        def end(by: Event) -> Steps:
            if event.sources is None:
                yield from self.wait_for_all(process, meeting, by)
            else:
                yield from self._meet_sources(process, meeting, event.sources, by)

        if event.request:
            process.requests[event.request] = end
        else:
            yield from end(event)
