# SPDX-License-Identifier: MIT
"""The messages to one process on one communicator, and the receives that could take several.

A receive with MPI_ANY_SOURCE could have taken another message if all of this holds:

- No synchronization orders the other send after the end of the receive. A completed synchronous
  send also shows that its message was taken.
- The other message is from another process, and is the first of that process that the receive
  accepts and no earlier receive took. MPI keeps the order of messages from one process.
- Every pending receive that was posted earlier and accepts the other message had its own message.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from mpipp.analysis.message_races.messages import Race, Send, Taker
from mpipp.model.message_events import Channel

MOST_OPEN = 2048  # receives that are compared with later messages, in an inbox
_FIRST_SWEEP = 64
_TRIES = 8  # receives at one place that are compared with a message
_NEVER = 1 << 62


class _Stream:
    # The messages from one process with one tag, in their order. `posted` has the numbers of their
    # receives, as far as these have begun; they are in order, too.
    def __init__(self) -> None:
        self.numbers: list[int] = []  # of the sends
        self.posted: list[int] = []

    def first_left(self, number: int) -> int:
        """Return the number of the first send whose message no receive before `number` took."""
        at = bisect_right(self.posted, number)
        return self.numbers[at] if at < len(self.numbers) else _NEVER

    def trim(self, number: int) -> None:
        """Forget messages that receives before `number` took."""
        at = min(bisect_right(self.posted, number), len(self.numbers))
        del self.numbers[:at], self.posted[:at]


class Inbox:
    """The messages and receives of one process on one communicator.

    Args:
        process: index of the process.
        found: is called with each race.
    """

    def __init__(self, process: int, found: Callable[[Race], None]) -> None:
        self.process = process
        self.found = found
        self.pending: dict[Channel, Taker] = {}  # receives that have begun
        self.left: dict[Channel, Send] = {}  # messages that no receive has taken
        self.taken_early: set[Channel] = set()  # messages that matching probes took
        self.forgotten = 0  # open receives without a race that were dropped
        self._racing: set[int] = set()  # places of receives with a race
        self._probed: dict[Channel, Taker] = {}  # the first probe that found a message
        self._last_probe: Taker | None = None
        self._wild: dict[Channel, Taker] = {}  # pending receives with a wildcard
        self._open: dict[object, list[Taker]] = {}  # by place and tag
        self._streams: dict[int, dict[int, _Stream]] = {}  # by source, then tag
        self._grown = 0  # number of receives since the last sweep
        self._next_sweep = _FIRST_SWEEP

    def send(self, send: Send) -> None:
        """Add a message."""
        channel = send.event.channel
        self._stream(channel).numbers.append(send.number)
        taker = self.pending.get(channel)
        if taker is None:
            self.left[channel] = send
        else:
            self._join(taker, send)

    def begin(self, taker: Taker) -> None:
        """Add a receive that begins."""
        event, channel = taker.event, taker.event.channel
        self._set_pending(taker)
        self.pending[channel] = taker
        if event.any_source or event.any_tag:
            self._wild[channel] = taker
        self._stream(channel).posted.append(taker.number)
        self._grown += 1
        probe, self._last_probe = self._last_probe, None
        if probe is not None and probe.event.channel == channel:
            taker.shown_by = probe
        self._add_open(taker)
        send = self.left.pop(channel, None)
        if send is not None:
            self._join(taker, send)

    def _set_pending(self, taker: Taker) -> None:
        # For a receive without wildcards, others without wildcards do not matter: those that accept
        # its message take earlier messages of the same process.
        event = taker.event
        is_wild = event.any_source or event.any_tag
        taker.pending = tuple((self.pending if is_wild else self._wild).values())

    def end(self, taker: Taker, time: int) -> None:
        """End a receive, and compare its message with earlier receives."""
        channel = taker.event.channel
        taker.ended = time
        del self.pending[channel]
        self._wild.pop(channel, None)
        if taker.send is not None:
            self._compare(taker.send, taker)
        self._probed.pop(channel, None)
        taker.match_clock()
        if not taker.event.any_source:
            taker.pending = ()

    def probe(self, taker: Taker, time: int) -> None:
        """Add a probe that has found a message."""
        channel = taker.event.channel
        self._set_pending(taker)
        taker.ended = time
        taker.send = self.left.get(channel)
        self._last_probe = taker
        self._probed.setdefault(channel, taker)
        self._grown += 1
        self._add_open(taker)

    def finish(self) -> None:
        """Compare the messages that no receive took."""
        for send in self.left.values():
            self._compare(send, None)

    def _stream(self, channel: Channel) -> _Stream:
        tags = self._streams.setdefault(channel.source, {})
        found = tags.get(channel.tag)
        if found is None:
            found = tags[channel.tag] = _Stream()
        return found

    def _add_open(self, taker: Taker) -> None:
        event = taker.event
        if event.any_source:
            key = taker.place, event.any_tag or event.channel.tag
            self._open.setdefault(key, []).append(taker)

    def _join(self, taker: Taker, send: Send) -> None:
        taker.send = send
        send.taker = taker
        waiting, taker.waiting = taker.waiting, []
        for other, its in waiting:
            self._decide(other, its)

    def _compare(self, send: Send, taker: Taker | None) -> None:
        # Compares a message with all receives before the one that took it.
        for takers in self._open.values():
            tries = 0
            for one in reversed(takers):
                if taker is not None and taker.number <= one.number:
                    continue
                tries += 1
                if tries > _TRIES or self._is_race(one, send):
                    break

    def _is_race(self, one: Taker, send: Send) -> bool:
        channel = send.event.channel
        if not one.accepts(channel) or one.precedes(send.told):
            return False
        if one.event.channel.source == channel.source:
            return self._is_crossing(one, send)
        if self._is_behind(one, send):
            return False
        return self._decide(one, send)

    def _is_crossing(self, one: Taker, send: Send) -> bool:
        # Report two receives with MPI_ANY_SOURCE that take messages of two sends of one process.
        instead, own = send.taker, one.send
        if one.probes or own is None or instead is None or not instead.event.any_source:
            return False
        places = own.event.moment.place, send.event.moment.place
        if places[0] == places[1] or one.place == instead.place:
            return False
        self.found(Race(one, send, instead))
        return True

    def _is_behind(self, one: Taker, send: Send) -> bool:
        # Return True if the receive would take an earlier message of the same process.
        channel = send.event.channel
        streams = self._streams[channel.source]
        chosen = streams.values() if one.event.any_tag else (streams[channel.tag],)
        return any(stream.first_left(one.number) < send.number for stream in chosen)

    def _decide(self, one: Taker, send: Send) -> bool:
        # Reports the race, unless a pending receive in front needs a message that is sent later.
        channel = send.event.channel
        for front in one.pending:
            own = front.event.channel
            if front.accepts(channel) or (own.source == channel.source and one.accepts(own)):
                clock = front.match_clock()
                if isinstance(clock, Taker):
                    clock.waiting.append((one, send))
                    return False
                if one.precedes(clock):
                    return False
        self._racing.add(one.place)
        instead = self._probed.get(channel, send.taker) if one.probes else send.taker
        self.found(Race(one, send, instead))
        return True

    def sweep(self, time: int) -> None:
        """Forget receives that happen before all further messages.

        Args:
            time: the last segment of this process that happens before all later events of all
                processes.
        """
        if self._grown < self._next_sweep:
            return
        sends = [*self.left.values(), *(one.send for one in self.pending.values() if one.send)]
        time = min([time, *(send.told[self.process] for send in sends)])
        for key, takers in list(self._open.items()):
            kept = [one for one in takers if one.ended is None or one.ended > time]
            if kept and kept[0].place not in self._racing:
                self.forgotten += max(0, len(kept) - MOST_OPEN)
            self._open[key] = kept[-MOST_OPEN:]
            if not kept:
                del self._open[key]
        count = sum(map(len, self._open.values()))
        # So the time of all sweeps grows with the number of messages.
        self._grown, self._next_sweep = 0, max(_FIRST_SWEEP, count, len(sends))
        oldest = min((takers[0].number for takers in self._open.values()), default=_NEVER)
        for streams in self._streams.values():
            for stream in streams.values():
                stream.trim(oldest - 1)
