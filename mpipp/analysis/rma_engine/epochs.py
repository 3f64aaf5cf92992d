# SPDX-License-Identifier: MIT
"""A window in one process: its epochs, and the accesses that are to end with them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Union

from mpipp.analysis.rma_engine.access_rules import WRITTEN
from mpipp.analysis.rma_engine.accesses import (
    EXCLUSIVE,
    PENDING,
    SHARED,
    UNLOCKED,
    Entry,
    Segment,
)
from mpipp.analysis.rma_engine.message_order import Meeting
from mpipp.model.rma_events import Event, Synchronization, WindowInfo, WindowMade


def exclusion(held: Synchronization | None) -> int:
    """The exclusion by a lock: none with MPI_MODE_NOCHECK."""
    if held is None or "MPI_MODE_NOCHECK" in held.asserted:
        return UNLOCKED
    return EXCLUSIVE if held.exclusive else SHARED


MOST_PAST = 2  # epochs that are shown with what comes after them
# An epoch: what has opened it, and what has ended it.
Span = tuple[Synchronization, Union[Synchronization, None]]


class Epochs:
    """The open epochs of a process on a window.

    Attributes:
        local: of each target what ends with the operation here: its buffers, and what it only reads
            at the target.
        remote: of each target what ends there.
        requested: as `local`, of operations that have requests.
        hidden: stores, and buffers that operations write, that the public copy has not (separate
            model).
        guarded: buffers in memory that this process has locked.
        heard: the clock when the private copy was last brought up to date (separate model), and
            `heard_number` the event's number.
    """

    def __init__(self, made: WindowMade, rank: int) -> None:
        self.made = made
        self.size = len(set(made.ranks))
        self.rank = rank
        # The source of the info key no_locks.
        self.no_locks: WindowMade | WindowInfo | None = made if made.no_locks else None
        self.fences = 0
        self.fence: Synchronization | None = None  # that opened an epoch, if any operation follows
        self.meeting: Meeting | None = None  # of the last fence
        self.used = False  # the fence's epoch
        self.within: list[Synchronization] = []  # MPI_Win_post in the fence's epoch
        self.start: Synchronization | None = None
        self.start_segment: Segment | None = None
        self.started: dict[int, int] = {}  # target's index: which post of its is meant
        self.starts: dict[int, int] = {}
        self.post: Synchronization | None = None
        self.post_segment: Segment | None = None
        self.posted: dict[int, int] = {}  # origin's index: which start of its is meant
        self.posts: dict[int, int] = {}
        self.locks: dict[int, Synchronization] = {}
        self.all_locked: Synchronization | None = None
        self.local: dict[int, list[Entry]] = {}
        self.remote: dict[int, list[Entry]] = {}
        self.requested: dict[int, dict[int, list[Entry]]] = {}
        self.hidden: list[Entry] = []
        self.guarded = deque[Entry]()
        self.heard: tuple[int, ...] = ()
        self.heard_number = 0
        self.stored: Entry | None = None  # since the last synchronization
        self.no_put: dict[int, Synchronization] = {}  # by the number of fences up to it
        self.attempts: dict[int, str] = {}  # the last call of each thread that began to be wrong
        self.joined: dict[int, tuple[Segment, Segment]] = {}
        self.past: deque[Span] = deque(maxlen=MOST_PAST)  # epochs that have ended

    def hint(self, event: WindowInfo) -> None:
        """Apply new info keys."""
        made = self.made
        ordering = event.accumulate_ordering
        self.made = made._replace(
            accumulate_ops=event.accumulate_ops or made.accumulate_ops,
            accumulate_ordering=made.accumulate_ordering if ordering is None else ordering,
        )
        if event.no_locks is not None:
            self.no_locks = event if event.no_locks else None

    def lock(self, target: int) -> int:
        """The way this process has locked a target, by its rank in the window's group."""
        return exclusion(self.locks.get(target) or self.all_locked)

    def hold(self, entry: Entry) -> None:
        """A buffer of this process lies in memory of the window."""
        if entry.lock:
            while self.guarded and self.guarded[0].end_time != PENDING:
                self.guarded.popleft()
            self.guarded.append(entry)
        if entry.separate and entry.kind == WRITTEN:
            entry.public_time = PENDING
            self.hidden.append(entry)

    def unguard(self, owner: int | None) -> None:
        """A process's memory is unlocked, None: all: that waits for no operation elsewhere."""
        unlocked = [entry for entry in self.guarded if owner in (None, entry.owner)]
        self.guarded = deque(entry for entry in self.guarded if owner not in (None, entry.owner))
        for entry in unlocked:
            entry.outlives = entry.end_time == PENDING

    def epoch(self, target: int, index: int) -> Synchronization | None:
        """The call that opened the epoch of an operation on a target; None: there is none."""
        found = self.locks.get(target) or self.all_locked
        if found is None and index in self.started:
            found = self.start
        return found or self.fence

    def open(self) -> list[Synchronization]:
        """The calls that opened epochs that must be ended."""
        found = [*self.locks.values(), self.all_locked, self.start, self.post]
        if self.used:
            found.append(self.fence)
        return [event for event in found if event is not None]

    def ends(self, opened: Synchronization | None, event: Synchronization) -> None:
        """An epoch, if there is one, ends by a call."""
        if opened is not None:
            self.past.append((opened, event))

    def spans(self) -> tuple[Span, ...]:
        """The last epochs that have ended, and those that are open."""
        ended = [opened for opened, _ in self.past]
        return (*self.past, *((opened, None) for opened in self.open() if opened not in ended))

    def close(self) -> None:
        """The window is freed."""
        self.locks.clear()
        self.started = {}
        self.fence = self.start = self.post = self.all_locked = None
        self.used = False

    def targets(self) -> list[int]:
        """The targets of operations that have not ended, by their ranks in the window's group."""
        return list({*self.local, *self.remote, *self.requested})

    def pending_operation(self, request: int) -> Event | None:
        """The operation that a pending request belongs to."""
        for some in self.requested.values():
            for entry in some.get(request, ()):
                return entry.event
        return None

    def prune(self) -> None:
        """Drop what is forgotten."""
        for some in (*self.local.values(), *self.remote.values()):
            some[:] = [entry for entry in some if entry.low >= 0]
        self.guarded = deque(entry for entry in self.guarded if entry.low >= 0)

    def pending(self) -> bool:
        """Return whether any operation of this process has not ended."""
        return any(self.local.values()) or any(self.remote.values())

    def end_local(self, target: int, process: int, time: int, number: int) -> list[Entry]:
        """All operations on a target have ended at the origin; what ends so."""
        ended = self.local.pop(target, [])
        for some in self.requested.pop(target, {}).values():
            ended += some
        for entry in ended:
            entry.ends(process, time, number)
        return ended

    def end_remote(self, target: int, process: int, time: int, number: int) -> None:
        """All operations on a target have ended there."""
        for entry in self.remote.pop(target, ()):
            entry.ends(process, time, number)

    def merge_clock(self, clock: Iterable[int], number: int) -> None:
        """The private copy has all that is known here, by this event."""
        self.heard, self.heard_number = tuple(clock), number

    def has(self, entry: Entry, owner: int) -> bool:
        """Return whether the private copy has what an operation that has ended has changed."""
        if entry.end_process == owner:
            return entry.end_number <= self.heard_number
        return bool(self.heard) and entry.end_time <= self.heard[entry.end_process]

    def publish(self, time: int) -> None:
        """The public copy has all stores, and what operations that are complete have brought."""
        pending = []
        for entry in self.hidden:
            if entry.end_time != PENDING:
                entry.public_time = time
            elif entry.low >= 0:
                pending.append(entry)
        self.hidden = pending
        self.stored = None


class Window:
    """A window: what its processes have made of it."""

    def __init__(self) -> None:
        self.epochs: dict[int, Epochs] = {}  # by the process's index
        self.posts: dict[tuple[int, int, int], tuple[int, ...]] = {}  # target, origin, which
        self.no_put: dict[tuple[int, int, int], Synchronization] = {}  # of those posts, as asserted
        self.completes: dict[
            tuple[int, int, int],
            tuple[tuple[int, ...], list[Entry], Synchronization, Segment],
        ] = {}
        self.fences: dict[int, Synchronization] = {}  # the first of those that are one, by number
        # Each ends after those before it: owner, origin, lock, and whether it ends at the origin.
        self.last_update: dict[tuple[int, int, int, bool], Entry] = {}
        self.last_store: dict[tuple[int, int, int, bool], Entry] = {}
