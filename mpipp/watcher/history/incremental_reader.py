# SPDX-License-Identifier: MIT
"""The new calls in a running process's history, from check to check.

A check returns the calls that the check before has already seen. So they are certain to be recorded
completely, and any doubt about their ordinals is known by now.

The order of reading makes a growing history consistent (wrapper/recorder/ledger/ledger.h): first
its last ordinal, then the period of the current run, then the written entries. The process that
ends a run writes the run before anything else. So a run that is not yet written has been active
since before the period was read.
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
from mpipp.watcher.processes.process import WatchedProcess


class ChannelSnapshot(NamedTuple):
    """A channel at the time of a check."""

    comm: Comm
    channel: Channel
    history: History
    last: int  # last ordinal


class HistoryReader:
    """The call history of one process; each call is read once.

    Raises MpippError when the records make no sense.
    """

    def __init__(self, watched: WatchedProcess) -> None:
        self._watched = watched
        self._histories: dict[int, History] = {}  # by address
        self._before: dict[int, int] = {}  # last ordinals at the check before
        self._told: dict[int, int] = {}
        self._left: set[int] = set()  # histories that this check had no time to read

    def look(self) -> Iterator[ChannelSnapshot]:
        """The channels with new calls, for `sides` once all processes have been read."""
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
        """The new calls in those channels, read until a time of the monotonic clock.

        The channels that are left then come first the next time.
        """
        self._watched.refresh()
        registry = self._watched.registry
        seen.sort(key=lambda one: one.channel.history not in self._left)
        self._left = set()
        for comm, channel, history, last in seen:
            if time.monotonic() > until:
                self._left.add(channel.history)
                continue
            now = registry.at("comm", comm.header.record)
            # Skip a communicator whose record has been reused for another one meanwhile.
            if isinstance(now, Comm) and now.identity == comm.identity:
                stretches = history.more(channel.period, last)
                self._told[channel.history] = last
                yield Side(Member(process, now), channel, stretches)
