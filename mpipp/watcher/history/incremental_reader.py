# SPDX-License-Identifier: MIT
"""What a process's ledger gains from look to look, while the process goes on.

A look tells the calls that were there at the look before. So they are certain to have been
recorded whole; and whatever made the ordinals of one of them uncertain is known by now.

What is read of a history while it grows is right because of the order
(wrapper/recorder/ledger/ledger.h): its last ordinal first, then the period of the run that goes on,
then what is written. Whoever ends a run writes it down before anything else: a run that is not
written down goes on since before the period was read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from mpipp.analysis.context.channel_history import Side, is_certain
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import Member
from mpipp.model import Channel, Comm
from mpipp.registry.ledger.channel_history import History
from mpipp.watcher.processes.process import Watched


class ChannelSnapshot(NamedTuple):
    """A channel at the time of a look."""

    comm: Comm
    channel: Channel
    history: History
    last: int  # ordinal


class HistoryReader:
    """The call history of one process; each call is read once.

    Raises MpippError when what is recorded makes no sense.
    """

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._histories: dict[int, History] = {}  # by address
        self._before: dict[int, int] = {}  # last ordinals, at the look before
        self._told: dict[int, int] = {}
        self._left: set[int] = set()  # histories that there was no time for

    def look(self) -> Iterator[ChannelSnapshot]:
        """The channels with calls that are to be told. They are, by `side`, after all processes
        were looked at."""
        self._watched.refresh()
        registry = self._watched.registry
        before, self._before = self._before, {}
        for comm in registry.objects("comm", ended=True):
            if not isinstance(comm, Comm) or not comm.identity:
                continue
            for channel in comm.channels:
                if not channel.history or not is_certain(comm, channel):
                    continue
                at = channel.history
                if at not in self._histories:
                    self._histories[at] = registry.history(comm, channel, grows=True)
                last = self._histories[at].last(channel)
                self._before[at] = last
                known = min(before.get(at, 0), last)
                if known > self._told.get(at, 0):
                    yield ChannelSnapshot(comm, channel, self._histories[at], known)

    def sides(self, process: Process, seen: list[ChannelSnapshot], until: float) -> Iterator[Side]:
        """What is new in those channels, as far as it is read up to a time of the monotonic clock;
        those that are left then come first the next time."""
        self._watched.refresh()
        registry = self._watched.registry
        seen.sort(key=lambda one: one.channel.history not in self._left)
        self._left = set()
        for comm, channel, history, last in seen:
            if time.monotonic() > until:
                self._left.add(channel.history)
                continue
            now = registry.at("comm", comm.header.record)
            # Not of a communicator whose record was given to another meanwhile.
            if isinstance(now, Comm) and now.identity == comm.identity:
                stretches = history.more(channel.period, last)
                self._told[channel.history] = last
                yield Side(Member(process, now), channel, stretches)
