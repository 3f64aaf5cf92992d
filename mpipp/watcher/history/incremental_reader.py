# SPDX-License-Identifier: MIT
"""Reads the new calls in a running process's history at each check.

A check returns the calls that the previous check has already seen. So their records are certainly
complete, and any doubt about their ordinals is resolved by now.

The history grows while it is read. A consistent order of reading is: the last ordinal, the period
of the current run of equal calls, the written entries (wrapper/recorder/ledger/ledger.h). A process
that ends a run writes the run before anything else. So a run that is not written yet was already
active when the period was read.
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
    """The call history of one process. Each call is returned once.

    Raises MpippError if the records are damaged.
    """

    def __init__(self, watched: WatchedProcess) -> None:
        self._watched = watched
        self._histories: dict[int, History] = {}  # by address
        self._before: dict[int, int] = {}  # last ordinals at the previous check
        self._told: dict[int, int] = {}
        self._left: set[int] = set()  # histories that the previous check had no time to read

    def look(self) -> Iterator[ChannelSnapshot]:
        """The channels with new calls. Pass them to `sides` after this was called for all
        processes."""
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
        """The new calls in the channels `seen`. Reading stops at the time `until` (time.monotonic).

        The next call begins with the channels that remain.
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
            # Skip a communicator if another one has meanwhile reused its record.
            if isinstance(now, Comm) and now.identity == comm.identity:
                stretches = history.more(channel.period, last)
                self._told[channel.history] = last
                yield Side(Member(process, now), channel, stretches)
