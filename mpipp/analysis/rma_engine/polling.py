# SPDX-License-Identifier: MIT
"""Loads that may poll for updates by others, and stores that others may poll with gets.

In the unified model a load of memory that another process updates is valid. So is a store to memory
that another process only reads (MPI-4.1, section 12.7, rules 2 and 3). So processes may wait for a
change. To rely on other data after such a load, or on earlier stores before such a store, they must
call MPI_Win_sync.

A line of code counts as polling, or polled, if once its process did not synchronize with others
between it and MPI_Win_sync. In a process with several threads all lines count, because other
threads may call MPI_Win_sync.
"""

from __future__ import annotations

from collections.abc import Hashable

from mpipp.analysis.rma_engine.access_rules import ACCUMULATE, GET, LOAD, STORE, UPDATES
from mpipp.analysis.rma_engine.accesses import Entry, Segment
from mpipp.analysis.rma_engine.flag_order import LOCKED, POLLED, STORED, Flags
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess
from mpipp.model.rma_events import Synchronization


class _Lines:
    """One process's accesses to a window, by line."""

    def __init__(self) -> None:
        self.segment: Segment | None = None
        self.synced = False  # whether MPI_Win_sync was called in this segment
        self.near = set[int]()  # places of accesses in this segment
        self.stored = 0  # number of the last store to own memory in this segment
        self.polling = set[int]()
        self.ever = False  # whether MPI_Win_sync was ever called

    def places(self, segment: Segment) -> set[int]:
        """Return the set that a place in a segment must be added to."""
        if self.segment is not segment:
            self.segment, self.synced, self.stored = segment, False, 0
            self.near.clear()
        return self.polling if self.synced else self.near


class Polling:
    """The polling lines of all processes and windows."""

    def __init__(self, processes: list[ReplayedProcess], flags: Flags) -> None:
        self._processes = processes
        self._flags = flags
        self._lines: dict[tuple[int, int], _Lines] = {}  # keys: window, process

    def _of(self, window: int, process: int) -> _Lines:
        found = self._lines.get((window, process))
        if found is None:
            found = self._lines[window, process] = _Lines()
        return found

    def access(self, process: ReplayedProcess, entry: Entry) -> None:
        """Note a load or store of window memory."""
        flags, number = self._flags, entry.event.moment.number
        stores = entry.kind == STORE
        if not entry.separate:
            lines = self._of(entry.window, process.index)
            lines.places(entry.segment).add(entry.event.moment.place)
            if stores and entry.owner == process.index:
                lines.stored = number
                if lines.synced or process.several:
                    self._store(process, entry.window, lines)
        if not entry.lock:
            return
        group = entry.window, entry.owner, LOCKED
        if stores:
            flags.writes(group, entry.segment, entry.segment, number)
        else:
            flags.reads(group, process.index, process.time, number)

    def synchronize(self, process: ReplayedProcess, event: Synchronization) -> None:
        """Note MPI_Win_sync: earlier loads may have polled, and others may have polled stores."""
        polled = event.window, process.index, POLLED
        self._flags.suspected |= {polled, (event.window, process.index, STORED)}
        self._flags.reads(polled, process.index, process.time, event.moment.number)
        lines = self._of(event.window, process.index)
        lines.polling |= lines.places(process.current_segment())
        lines.near.clear()
        lines.synced = lines.ever = True
        if lines.stored:
            self._store(process, event.window, lines)

    def _store(self, process: ReplayedProcess, window: int, lines: _Lines) -> None:
        # Other processes may read the last store with a get.
        segment = process.current_segment()
        self._flags.writes((window, process.index, STORED), segment, segment, lines.stored)

    def shape(self) -> Hashable:
        """Return the state that affects later accesses: the polling lines."""
        return frozenset(
            (key, lines.ever, frozenset(lines.polling)) for key, lines in self._lines.items()
        )

    def may_be(self, one: Entry, other: Entry) -> bool:
        """Return whether one of two accesses may poll for the change of the other."""
        local, remote = (one, other) if one.kind in (LOAD, STORE) else (other, one)
        if local.separate or not local.window:
            return False
        if local.kind == STORE:
            is_read = remote.atomic is not None and remote.atomic.reads_only
            if remote.kind != GET and not (remote.kind == ACCUMULATE and is_read):
                return False
        elif local.kind != LOAD or remote.kind not in UPDATES:
            return False
        lines = self._of(local.window, local.actor)
        if self._processes[local.actor].several:
            return lines.ever
        return local.event.moment.place in lines.polling
