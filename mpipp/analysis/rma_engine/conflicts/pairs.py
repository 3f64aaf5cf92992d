# SPDX-License-Identifier: MIT
"""Relations of two accesses: the reason why they are concurrent, and whether one can represent
both."""

from __future__ import annotations

from mpipp.analysis.rma_engine.access_rules import ACCUMULATE, LOAD, READ, STORE, WRITTEN
from mpipp.analysis.rma_engine.accesses import EXCLUSIVE, MIXED, PENDING, Entry
from mpipp.model.rma_events import Operation


def why(before: Entry, entry: Entry) -> str:
    """Return why two accesses are concurrent, as in Conflict."""
    if before.actor == entry.actor:
        return "itself" if before.event is entry.event else "pending"
    called = before.segment.clock[before.actor]
    heard = entry.segment.clock[before.actor] >= called
    return "incomplete" if heard else "unordered"


def excluded(before: Entry, entry: Entry) -> bool:
    """Return whether a lock of the target excludes that the two accesses are concurrent."""
    return (
        before.actor != entry.actor
        and EXCLUSIVE in (before.lock, entry.lock)
        and 0 not in (before.lock, entry.lock)
        and before.window == entry.window
        and not before.outlives
        and not entry.outlives
    )


def may_outlive(entry: Entry) -> bool:
    """Return whether the buffer may still be in use when its process unlocks its own memory."""
    return entry.kind in (READ, WRITTEN) and entry.lock != 0 and entry.end_time == PENDING


def may_be_ordered_by_flag(before: Entry, entry: Entry) -> bool:
    """Return whether a flag may order other processes before the second access, but not before the
    first."""
    if before.heard != entry.heard:
        return True
    return entry.heard > 0 and before.segment is not entry.segment


def may_differ(before: Entry, entry: Entry) -> bool:
    """Return whether the polling rules may treat two loads or stores differently."""
    return (
        entry.kind in (LOAD, STORE)
        and not entry.separate
        and before.event.moment.place != entry.event.moment.place
    )


def covers(entry: Entry, before: Entry) -> bool:
    """Return whether all later conflicts of the earlier access are also conflicts of this one."""
    if before.lock != entry.lock or before.window != entry.window or before.atomic != entry.atomic:
        return False
    if before.made is not entry.made or before.outlives != entry.outlives:
        return False
    if before.end_time > entry.segment.clock[before.end_process]:
        # If the same calls end both, the earlier access ends no later than the other.
        if before.request or entry.request:
            return False
        one, other = before.event, entry.event
        if not isinstance(one, Operation) or not isinstance(other, Operation):
            return False
        if (one.window, one.target) != (other.window, other.target):
            return False
    if before.memory == entry.memory:
        return True
    if entry.kind == ACCUMULATE and (before.phase == MIXED or before.phase != entry.phase):
        return False  # the elements differ
    return (
        before.low >= entry.low
        and before.high <= entry.high
        and len(entry.memory) == 1
        and entry.memory[0].times == 1
    )


def update_alike(before: Entry, entry: Entry) -> bool:
    """Return whether two accumulates certainly update the same elements by the same operation."""
    atomic = entry.atomic
    return (
        atomic is not None
        and len(atomic.types) == 1
        and before.memory == entry.memory
        and before.atomic == atomic
        and before.window == entry.window
    )
