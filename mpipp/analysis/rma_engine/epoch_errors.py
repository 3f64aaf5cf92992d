# SPDX-License-Identifier: MIT
"""Synchronization that is wrong by itself, for any memory accesses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Union

from mpipp.analysis.rma_engine.access_rules import READ, WRITTEN
from mpipp.analysis.rma_engine.accesses import Entry, bounds
from mpipp.analysis.rma_engine.epochs import Epochs, Span, Window
from mpipp.model.rma_events import Completed, Event, Operation, Synchronization

_OPENING = ("fence", "post", "start", "lock", "lock_all")
_OF_ALL = ("MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED")  # of a fence, or of none of its processes


class Mistake(NamedTuple):
    """The mistake of an event.

    Attributes:
        rule: its id (analysis/rules/rma.py).
        other: what it does not go together with: the epoch that is open, the assertion, what gives
            its buffer back ...
        times: how often at these lines.
        epochs: those of a process around it, on the window.
    """

    rule: str
    event: Event
    other: Event | None
    times: int
    epochs: tuple[Span, ...] = ()


class Mistakes:
    """The mistakes of a run: the first of each pair of lines."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int, int], Mistake] = {}

    def add(
        self, rule: str, event: Event, other: Event | None = None, mine: Epochs | None = None
    ) -> None:
        """One more; `mine`: what the process has open on the window."""
        key = rule, event.moment.place, other.moment.place if other else 0
        before = self.found.get(key)
        self.found[key] = (
            before._replace(times=before.times + 1)
            if before
            else Mistake(rule, event, other, 1, mine.spans() if mine else ())
        )

    def add_open_epochs(self, mine: Epochs, event: Event) -> None:
        """Add the epochs that are open at an event that must not come before their ends."""
        for opened in mine.open():
            self.add("rma-not-ended", opened, event, mine)


def violations(mine: Epochs, event: Synchronization) -> Iterator[tuple[str, Event | None]]:
    """The rules that a starting call violates, each with the event that it conflicts with."""
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
    """The call by which a target, the owner, has said that no operation is such, if it has.

    Of "put or accumulate operations" (MPI-4.1, section 12.5.5) those with MPI_NO_OP update nothing.
    """
    mine, theirs = window.epochs[process], window.epochs.get(owner)
    if event.kind == "get" or event.op == "MPI_NO_OP" or theirs is None:
        return None
    if opened.kind == "start":
        return window.no_put.get((owner, process, mine.started[owner]))
    return theirs.no_put.get(mine.fences) if opened.kind == "fence" else None


def is_active(event: Operation, opened: Synchronization) -> bool:
    """Return whether an operation has a request, which only passive target epochs allow."""
    return opened.kind in ("fence", "start") and event.moment.procedure.startswith("MPI_R")


def fence_asserts_differ(one: Synchronization, other: Synchronization) -> bool:
    """Return whether a fence has an assertion that another process did not pass to the same
    fence.
    """
    return any(word in one.asserted and word not in other.asserted for word in _OF_ALL)


def is_gone(entry: Entry, event: Event) -> bool:
    """Return whether a buffer is on the stack, of a function that has returned before a call ends
    it.
    """
    begun = entry.event
    if entry.kind not in (READ, WRITTEN):
        return False  # of another process's memory, which may be at the same addresses
    if not isinstance(begun, Operation) or not isinstance(event, (Synchronization, Completed)):
        return False
    if not 0 < begun.frame < event.frame or begun.moment.thread != event.moment.thread:
        return False
    box = bounds(entry.memory)  # the entry's own is not kept once it has ended
    return box is not None and begun.frame <= box[0] and box[1] <= event.frame


def _excluding(mine: Epochs, event: Synchronization) -> list[Synchronization | None]:
    # Epochs that must not be open, if they are.
    if event.kind not in _OPENING:
        return []
    locks = list[Union[Synchronization, None]](mine.locks.values())
    # Fences without operations between them open none (MPI-4.1, section 12.5.1).
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
    # The conflicting call: a window must not be locked and exposed at once in a process (MPI-4.1,
    # section 12.5.3). This covers only a process that does both itself.
    if event.kind == "post":
        return mine.locks.get(mine.rank) or mine.all_locked
    locks = event.kind == "lock_all" or (event.kind == "lock" and event.target == mine.rank)
    return mine.post if locks else None


def _has_begun(mine: Epochs, event: Synchronization) -> bool:
    # Return whether there is an epoch that the call may end or must be in, if it is such a call.
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
