# SPDX-License-Identifier: MIT
"""The order of the threads of each process.

A clock of a process has a component for each process, and behind these one for each thread. The
components of processes order all threads of a process as in its log. The components of threads have
only the order that synchronization gives. This order comes from objects that two threads use, and
from messages and other calls of MPI. The times of a thread are those of its process. A process
begins a new segment when another thread has the next event.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping

from mpipp.analysis.rma_engine.access_rules import READ, WRITTEN
from mpipp.analysis.rma_engine.accesses import Entry
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess, Threads
from mpipp.model import rma_events
from mpipp.model.rma_events import Operation

ALL = -1  # in place of a target: all targets
_Key = tuple[int, int, int, bool]


class _Calls:
    # The calls of one thread that complete operations, by time; only the last call of each segment.
    __slots__ = ("clocks", "numbers", "times")

    def __init__(self) -> None:
        self.times: list[int] = []
        self.clocks: list[tuple[int, ...]] = []
        self.numbers: list[int] = []

    def add(self, time: int, clock: tuple[int, ...], number: int) -> None:
        if self.times and self.times[-1] == time:
            self.clocks[-1], self.numbers[-1] = clock, number
            return
        self.times.append(time)
        self.clocks.append(clock)
        self.numbers.append(number)

    def drop(self, known: int) -> None:
        # Drops the calls before the last one that happens before the next event of every thread.
        gone = bisect.bisect_right(self.times, known) - 1
        if gone > 0:
            del self.times[:gone], self.clocks[:gone], self.numbers[:gone]


class ThreadOrder:
    """The order of all threads of all processes.

    Attributes:
        certain: whether the order has everything that can order threads.
    """

    def __init__(self, known: Mapping[int, rma_events.ThreadOrder], ranks: list[int]) -> None:
        several = [one for one in known.values() if one.observed and one.threads > 1]
        self.certain = all(one.atomics for one in several)
        counts = [
            known[rank].threads if rank in known and known[rank].observed else 1 for rank in ranks
        ]
        base = len(ranks)
        self.size = base + sum(counts) if several else base
        self.threads = [
            Threads(base, base + sum(counts[:at]), count, self.size)
            for at, count in enumerate(counts)
        ]
        self._calls: dict[_Key, dict[int, _Calls]] = {}

    def complete(
        self, process: ReplayedProcess, window: int, target: int, number: int, *, everywhere: bool
    ) -> None:
        """Note a call that completes operations on a target: at the origin, or `everywhere`."""
        for is_remote in (False, True) if everywhere else (False,):
            self._add(process, (process.index, window, target, is_remote), number)

    def complete_request(self, process: ReplayedProcess, request: int, number: int) -> None:
        """Note a call that completes a request."""
        self._add(process, (process.index, 0, request, False), number)

    def _add(self, process: ReplayedProcess, key: _Key, number: int) -> None:
        calls = self._calls.setdefault(key, {})
        threads = process.threads
        assert threads is not None
        of = calls.setdefault(threads.current, _Calls())
        of.add(process.time, process.current_segment().clock, number)

    def orders(self, before: Entry, entry: Entry) -> bool:
        """Return whether an access follows the end of an earlier access also in the order of
        threads.

        In the order of processes it must follow.
        """
        clock = entry.segment.clock
        ended_by = self.ended_by(before)
        event = before.event
        if not isinstance(event, Operation):
            return clock[ended_by] >= before.end_time
        # If a call of another thread has ended it, that may be so only in this run.
        is_sure = before.end_process != before.actor or ended_by == self.thread_of(before)
        if is_sure and clock[ended_by] >= before.end_time:
            return True
        return self._is_complete(before, event, clock)

    def _is_complete(self, before: Entry, event: Operation, clock: tuple[int, ...]) -> bool:
        # Returns whether a call between the operation and the clock completes the operation.
        actor = before.actor
        begun = before.segment.own[actor]
        thread = self.thread_of(before)
        is_remote = before.kind not in (READ, WRITTEN) and not event.only_reads
        keys = [
            (actor, event.window, event.target, is_remote),
            (actor, event.window, ALL, is_remote),
        ]
        if event.request and not is_remote:
            keys.append((actor, 0, event.request, False))
        for key in keys:
            for at, calls in self._calls.get(key, {}).items():
                last = bisect.bisect_right(calls.times, clock[at]) - 1
                if last < 0 or calls.clocks[last][thread] < begun:
                    continue
                if at != thread or calls.numbers[last] > event.moment.number:
                    return True
        return False

    def ended_by(self, entry: Entry) -> int:
        """Return the component of the thread with the event that ended an access."""
        return self.threads[entry.end_process].of[entry.end_time]

    def covers(self, before: Entry, entry: Entry) -> bool:
        """Return whether all events after the later access are also after the earlier one."""
        if before.end_time > entry.segment.clock[before.end_process]:
            # The same calls end both accesses.
            return self.thread_of(before) == self.thread_of(entry)
        return self.orders(before, entry)

    def thread_of(self, entry: Entry) -> int:
        """Return the component of the thread that made an access."""
        return self.threads[entry.actor].of_entry(entry)

    def common(self, processes: list[ReplayedProcess]) -> list[int]:
        """Return, for each component, the last time that happens before the next events of all
        threads that continue."""
        alive = [
            threads.least(process)
            for process, threads in zip(processes, self.threads)
            if not process.ended
        ]
        base = len(processes)
        known = list(map(min, zip(*alive))) if alive else [1 << 62] * (self.size - base)
        for threads in self.threads:
            threads.forget(known)
        found = [0] * base + known
        for by_thread in self._calls.values():
            for at, calls in by_thread.items():
                calls.drop(found[at])
        return found


def thread_order(
    known: Mapping[int, rma_events.ThreadOrder], ranks: list[int]
) -> ThreadOrder | None:
    """Return the order of threads; None if each process has one thread, or an unknown order."""
    made = ThreadOrder(known, ranks)
    return made if made.size > len(ranks) else None
