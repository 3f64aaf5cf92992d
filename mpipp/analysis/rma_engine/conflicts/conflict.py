# SPDX-License-Identifier: MIT
"""A conflict, found by comparing accesses in the replay."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.analysis.rma_engine import access_rules
from mpipp.analysis.rma_engine.accesses import PENDING, Entry, Range, bounds
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess
from mpipp.model.rma_events import Access, Event, Operation, Synchronization

THREADS = "threads"
# The key of conflicts that are reported once: the rule, and for both accesses the process, the
# place and the kind.
Lines = tuple[str, tuple[int, int, int], tuple[int, int, int]]
_PAGE = 4096  # addresses of the same code in two processes differ by a multiple of this


class Side(NamedTuple):
    """One of the two accesses of a conflict.

    Attributes:
        kind: an item of access_rules.WORDS.
        epoch: for an operation, the call that opened its epoch.
        heard_by: the last event that ordered its process after the other process; None: there is
            none.
        heard_number: number of the event in the other process after which it is ordered; -1: none.
        completed_at: rank in MPI_COMM_WORLD and number of the event at which it certainly has
            ended; None: unknown.
        closed: number of the event in its own process that closed its epoch earlier; -1: none.
    """

    event: Access | Operation
    kind: str
    epoch: Synchronization | None
    heard_by: Event | None
    heard_number: int = -1
    completed_at: tuple[int, int] | None = None
    closed: int = -1


class Conflict(NamedTuple):
    """Two concurrent accesses that must not be concurrent.

    Attributes:
        rule: id of the rule.
        owner: rank in MPI_COMM_WORLD of the process with the memory.
        shared: first and end of bytes that both access; for "rma-apart", of the first access.
        why: "pending": the first is not complete when the same process continues. "incomplete":
            the second's process is ordered after the first's call, but not after its completion.
            "unordered": data race. "threads": data race, because only other threads synchronize.
            "copies": the window's copies were not synchronized. "itself": both belong to one
            operation.
        times: the number of conflicts at these lines.
        apart: the bytes of the second access, if it shares none with the first.
    """

    rule: str
    first: Side
    second: Side
    owner: int
    window: int
    shared: Range
    why: str
    times: int
    apart: Range | None = None

    def bytes_of(self, side: Side) -> Range:
        """Return the bytes of one of the two sides."""
        return self.apart if self.apart and side is self.second else self.shared


class Candidate(NamedTuple):
    """Two accesses that may be a conflict, unless a flag orders them; `why` as in Conflict."""

    rule: str
    before: Entry
    entry: Entry
    shared: Range | None  # None: they share no bytes
    why: str


def conflict_of(found: Candidate, times: int, processes: list[ReplayedProcess]) -> Conflict:
    """Return the conflict of a candidate; `times`: the number of conflicts at its lines."""
    one, other = found.before, found.entry
    # The order in which the replay has read the processes has no meaning. So sort the two accesses:
    # then findings with the same lines name them in the same order.
    if found.why == "unordered" and _rank(other) < _rank(one):
        one, other = other, one
    by_thread = found.why == THREADS
    first = _side(one, other, processes, by_thread=by_thread)
    second = _side(other, one, processes, by_thread=by_thread)
    owner = processes[other.owner].rank
    window = one.window or other.window
    common = found.shared or bounds(one.memory) or (0, 0)
    apart = None if found.shared else bounds(other.memory)
    return Conflict(found.rule, first, second, owner, window, common, found.why, times, apart)


def _side(entry: Entry, other: Entry, processes: list[ReplayedProcess], *, by_thread: bool) -> Side:
    heard, told = None, -1
    if other.actor != entry.actor or by_thread:
        threads = processes[other.actor].threads
        at = threads.of_entry(other) if by_thread and threads else other.actor
        heard = entry.segment.seen[at]
        numbers, time = processes[other.actor].told, entry.segment.own[at]
        told = numbers[time] if heard is not None and 0 <= time < len(numbers) else -1
    ended = None
    if entry.end_time != PENDING and entry.end_number != entry.event.moment.number:
        ended = processes[entry.end_process].rank, entry.end_number
    return Side(
        entry.event,
        access_rules.WORDS[entry.kind],
        entry.epoch,
        heard,
        told,
        ended,
        entry.closed,
    )


def order(conflict: Conflict) -> tuple[int, int, int, int]:
    """Return the key that sorts conflicts by the processes and numbers of their events."""
    first, second = conflict.first.event.moment, conflict.second.event.moment
    return first.process, first.number, second.process, second.number


def _rank(entry: Entry) -> tuple[int, int, int]:
    return -entry.kind, entry.event.moment.place % _PAGE, entry.actor
