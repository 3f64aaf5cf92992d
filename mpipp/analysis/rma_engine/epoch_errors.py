# SPDX-License-Identifier: MIT
"""Calls that synchronize wrongly by themselves, independently of accesses to memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Union

from mpipp.analysis.rma_engine.access_rules import READ, WRITTEN
from mpipp.analysis.rma_engine.accesses import Entry, bounds
from mpipp.analysis.rma_engine.epochs import Epochs, Span, Window
from mpipp.model.rma_events import Completed, Event, Operation, Synchronization

_OPENING = ("fence", "post", "start", "lock", "lock_all")
# Assertions that all processes of a fence must pass, or none.
_OF_ALL = ("MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED")


class Mistake(NamedTuple):
    """An error in an event.

    Attributes:
        rule: id of the rule (analysis/rules/rma.py).
        event: the erroneous event.
        other: the conflicting event: the open epoch, the assertion, the free of the buffer ...
        times: number of equal errors at these lines.
        epochs: the process's epochs around it, on the window.
    """

    rule: str
    event: Event
    other: Event | None
    times: int
    epochs: tuple[Span, ...] = ()


class Mistakes:
    """The mistakes of a run, the first of each pair of lines."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int, int], Mistake] = {}

    def add(
        self, rule: str, event: Event, other: Event | None = None, mine: Epochs | None = None
    ) -> None:
        """Add a mistake; `mine`: the process's epochs on the window."""
        key = rule, event.moment.place, other.moment.place if other else 0
        before = self.found.get(key)
        self.found[key] = (
            before._replace(times=before.times + 1)
            if before
            else Mistake(rule, event, other, 1, mine.spans() if mine else ())
        )

    def count(self, key: tuple[str, int, int], times: int) -> None:
        """Count more mistakes that equal one which was already found."""
        self.found[key] = self.found[key]._replace(times=self.found[key].times + times)

    def add_open_epochs(self, mine: Epochs, event: Event) -> None:
        """Add a mistake for each epoch that is open but should have ended before the event."""
        for opened in mine.open():
            self.add("rma-not-ended", opened, event, mine)


def violations(mine: Epochs, event: Synchronization) -> Iterator[tuple[str, Event | None]]:
    """Yield the rules that a call violates at its start, each with the conflicting event."""
    kind = event.kind
    for other in _excluding(mine, event):
        if other is not None:
            yield "rma-nested", other
    if kind == "fence" and "MPI_MODE_NOPRECEDE" in event.asserted and mine.pending():
        yield "rma-noprecede", mine.fence
    if "MPI_MODE_NOSTORE" in event.asserted and mine.stored is not None:
        yield "rma-nostore", mine.stored.event
    if kind == "lock" and event.target in mine.locks:
        yield "rma-locked", mine.locks[event.target]
    if kind in ("lock", "lock_all") and mine.no_locks is not None:
        yield "rma-no-locks", mine.no_locks
    exposed = _locked_and_exposed(mine, event)
    if exposed is not None:
        yield "rma-exposed", exposed
    if not _has_begun(mine, event):
        yield "rma-not-open", None


def no_put(
    window: Window, process: int, owner: int, event: Operation, opened: Synchronization
) -> Synchronization | None:
    """Return the target's call that asserted that no such operation comes, or None.

    MPI-4.1, section 12.5.5, names "put or accumulate operations". With MPI_NO_OP they update
    nothing, so they are allowed.
    """
    mine, theirs = window.epochs[process], window.epochs.get(owner)
    if event.kind == "get" or event.op == "MPI_NO_OP" or theirs is None:
        return None
    if opened.kind == "start":
        return window.no_put.get((owner, process, mine.started[owner]))
    return theirs.no_put.get(mine.fences) if opened.kind == "fence" else None


def is_active(event: Operation, opened: Synchronization) -> bool:
    """Return whether an operation has a request, but is in an active target epoch.

    Requests are only allowed in passive target epochs.
    """
    return opened.kind in ("fence", "start") and event.moment.procedure.startswith("MPI_R")


def fence_asserts_differ(one: Synchronization, other: Synchronization) -> bool:
    """Return whether a fence has an assertion that another process did not pass to this fence."""
    return any(word in one.asserted and word not in other.asserted for word in _OF_ALL)


def is_gone(entry: Entry, event: Event) -> bool:
    """Return whether a buffer was on the stack of a function that returned too early."""
    begun = entry.event
    if entry.kind not in (READ, WRITTEN):
        return False  # another process, whose stack may have the same addresses
    if not isinstance(begun, Operation) or not isinstance(event, (Synchronization, Completed)):
        return False
    if not 0 < begun.frame < event.frame or begun.moment.thread != event.moment.thread:
        return False
    box = bounds(entry.memory)  # computed again: an ended entry has lost its bounds
    return box is not None and begun.frame <= box[0] and box[1] <= event.frame


def _excluding(mine: Epochs, event: Synchronization) -> list[Synchronization | None]:
    # Open epochs that the event's epoch excludes.
    if event.kind not in _OPENING:
        return []
    locks = list[Union[Synchronization, None]](mine.locks.values())
    # Fences without operations between them open no epoch (MPI-4.1, section 12.5.1).
    fence = mine.fence if mine.used else None
    if event.kind == "fence":
        return [*locks, mine.all_locked, mine.start, mine.post]
    if event.kind == "post":
        return [mine.post]
    if event.kind == "start":
        return [*locks, mine.all_locked, mine.start, fence]
    others = locks if event.kind == "lock_all" else []
    return [mine.start, mine.all_locked, fence, *others]


def _locked_and_exposed(mine: Epochs, event: Synchronization) -> Synchronization | None:
    # The conflicting call: a process must not have its window locked and exposed at once (MPI-4.1,
    # section 12.5.3). Only locks by the process itself are found here.
    if event.kind == "post":
        return mine.locks.get(mine.rank) or mine.all_locked
    locks = event.kind == "lock_all" or (event.kind == "lock" and event.target == mine.rank)
    return mine.post if locks else None


def _has_begun(mine: Epochs, event: Synchronization) -> bool:
    # Return whether the epoch that the call ends or needs is open; true if it needs no epoch.
    kind = event.kind
    if kind == "complete":
        return mine.start is not None
    if kind == "wait":
        return mine.post is not None
    if kind == "unlock":
        return event.target in mine.locks
    if kind == "unlock_all" or mine.all_locked is not None:
        return mine.all_locked is not None
    if kind.startswith("flush") and event.target >= 0:
        return event.target in mine.locks
    return bool(mine.locks) or not kind.startswith(("flush", "sync"))
