# SPDX-License-Identifier: MIT
"""Compare the histories of running processes, about once a second."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

from mpipp.analysis.all_checks import cited
from mpipp.analysis.collectives.completed import Collectives
from mpipp.analysis.context import channel_history
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World, worlds
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.messages.completed import Messages
from mpipp.common.errors import MpippError
from mpipp.watcher.history.incremental_reader import HistoryReader
from mpipp.watcher.processes.process import WatchedProcess

INTERVAL = 0.7  # seconds between checks: each compares the calls that the previous one has seen
_SHARE = 0.05  # share of the time that checks may take
_LONGEST = 0.25  # seconds of reading in one check at most: a process that ends must wait for it


class HistoryComparison:
    """Finds errors between running processes by their call histories."""

    def __init__(self) -> None:
        self._readers: dict[WatchedProcess, HistoryReader] = {}
        # For each world: the number of its first process.
        self._pasts: dict[int, tuple[Messages, Collectives]] = {}
        self._worlds: dict[int, int] = {}  # by process
        self._next = 0.0

    @property
    def due(self) -> float:
        """The time of the next check (time.monotonic)."""
        return self._next

    def look(self, watched: Sequence[WatchedProcess]) -> list[Finding]:
        """Return new findings. Findings number processes by their index in `watched`, which must
        not change."""
        start = time.monotonic()
        processes = [one.process(number) for number, one in enumerate(watched)]
        found: list[Finding] = []

        with contextlib.suppress(MpippError):  # the checks of resting processes report the error
            new = self._new(watched, processes)
            for world in worlds([process for process in processes if process in new]):
                found += self._compare(world, new)
        end = time.monotonic()
        self._next = end + max(INTERVAL, (end - start) / _SHARE)
        return cited(found, processes)

    def _new(
        self, watched: Sequence[WatchedProcess], processes: Sequence[Process]
    ) -> dict[Process, list[channel_history.Side]]:
        seen = []
        for one, process in zip(watched, processes):
            reader = self._readers.setdefault(one, HistoryReader(one))
            with contextlib.suppress(MpippError):
                seen.append((process, reader, list(reader.look())))
        if not any(channels for _, _, channels in seen):
            return {}
        new, now, each = {}, time.monotonic(), _LONGEST / len(seen)
        for number, (process, reader, channels) in enumerate(seen, 1):
            new[process] = list(reader.sides(process, channels, now + number * each))
        return new

    def _compare(
        self, world: World, new: dict[Process, list[channel_history.Side]]
    ) -> list[Finding]:
        numbers = [process.number for process in world.processes]
        if not numbers:
            return []
        first = min(self._worlds.get(number, number) for number in numbers)
        self._worlds.update(dict.fromkeys(numbers, first))
        messages, collectives = self._pasts.setdefault(first, (Messages(), Collectives()))
        for process in world.processes:
            for side in new[process]:
                if channel_history.is_collective(side.channel):
                    collectives.add(side)
                    continue
                key = channel_history.key(world, side)
                if key is not None:
                    messages.add(key, side)
        return [*messages.compare(), *collectives.compare(of_all=world)]
