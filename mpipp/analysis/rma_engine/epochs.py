# SPDX-License-Identifier: MIT
"""A window in one process: its epochs, and the accesses that end with them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
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
    """Return how a lock excludes others: not at all with MPI_MODE_NOCHECK."""
    if held is None or "MPI_MODE_NOCHECK" in held.asserted:
        return UNLOCKED
    return EXCLUSIVE if held.exclusive else SHARED


def signature(event: Event | None) -> Hashable:
    """Return everything of an event except its process and its number."""
    if event is None:
        return None
    moment = event.moment
    return moment.thread, moment.place, moment.procedure, event[1:]


MOST_PAST = 2  # ended epochs that are shown around a mistake
# An epoch: the call that opened it, and the call that ended it or None.
Span = tuple[Synchronization, Union[Synchronization, None]]


class Epochs:
    """The open epochs of a process on a window.

    Attributes:
        local: for each target the accesses that end when operations complete at the origin: local
            buffers, and reads of the target.
        remote: for each target the accesses that end when operations complete there.
        requested: as `local`, for operations with requests.
        hidden: stores and written buffers that the public copy does not have yet (separate model).
        guarded: buffers in memory that this process has locked.
        heard: the clock at the last update of the private copy (separate model), and
            `heard_number` the number of that event.
    """

    def __init__(self, made: WindowMade, rank: int) -> None:
        self.made = made
        self.size = len(set(made.ranks))
        self.rank = rank
        # The event that set the info key no_locks.
        self.no_locks: WindowMade | WindowInfo | None = made if made.no_locks else None
        self.fences = 0
        self.fence: Synchronization | None = None  # opens an epoch if any operation follows
        self.meeting: Meeting | None = None  # collective call of the last fence
        self.used = False  # whether the fence's epoch has an operation
        self.within: list[Synchronization] = []  # calls of MPI_Win_post in the fence's epoch
        self.start: Synchronization | None = None
        self.start_segment: Segment | None = None
        self.started: dict[int, int] = {}  # by target's index: number of its matching post
        self.starts: dict[int, int] = {}
        self.post: Synchronization | None = None
        self.post_segment: Segment | None = None
        self.posted: dict[int, int] = {}  # by origin's index: number of its matching start
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
        self.stored: Entry | None = None  # the last store since the last synchronization
        self.no_put: dict[int, Synchronization] = {}  # key: number of earlier fences
        self.attempts: dict[int, str] = {}  # by thread: the call that has begun, and may still fail
        self.freed = False
        self.joined: dict[int, tuple[Segment, Segment]] = {}
        self.past: deque[Span] = deque(maxlen=MOST_PAST)  # ended epochs

    def is_pending(self) -> bool:
        """Return whether accesses, or calls of other processes, belong to an open epoch."""
        return (
            self.used
            or self.start is not None
            or self.post is not None
            or self.pending()
            or any(map(any, self.requested.values()))
            or any(entry.end_time == PENDING for entry in self.guarded)
            or bool(self.hidden or self.within)
            or (self.meeting is not None and bool(self.meeting.origins or self.meeting.targets))
        )

    def shape(self) -> Hashable:
        """Return the state on which the effects of later events depend, while nothing is
        pending."""
        return (
            signature(self.made),
            signature(self.no_locks),
            signature(self.fence),
            tuple((target, signature(lock)) for target, lock in self.locks.items()),
            signature(self.all_locked),
            signature(self.stored.event if self.stored else None),
            tuple((at - self.fences, signature(said)) for at, said in self.no_put.items()),
            tuple(self.attempts.items()),
            tuple((signature(opened), signature(ended)) for opened, ended in self.past),
        )

    def renumber(self, call: Callable[[Synchronization | None], Synchronization | None]) -> None:
        """Replace the calls that opened and ended epochs by the results of `call`."""
        self.fence, self.all_locked = call(self.fence), call(self.all_locked)
        locks = {target: call(lock) for target, lock in self.locks.items()}
        self.locks = {target: lock for target, lock in locks.items() if lock}
        said = {at: call(one) for at, one in self.no_put.items()}
        self.no_put = {at: one for at, one in said.items() if one}
        past = [(call(opened), call(ended)) for opened, ended in self.past]
        self.past = deque(((one, other) for one, other in past if one), maxlen=MOST_PAST)

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
        """Return how this process has locked a target, by its rank in the window's group."""
        return exclusion(self.locks.get(target) or self.all_locked)

    def hold(self, entry: Entry) -> None:
        """Note that an operation's buffer is in the window's memory of this process."""
        if entry.lock:
            while self.guarded and self.guarded[0].end_time != PENDING:
                self.guarded.popleft()
            self.guarded.append(entry)
        if entry.separate and entry.kind == WRITTEN:
            entry.public_time = PENDING
            self.hidden.append(entry)

    def unguard(self, owner: int | None) -> None:
        """Note that this process unlocks the memory of `owner`, or of all for None.

        The unlock does not wait for operations whose buffers are there.
        """
        unlocked = [entry for entry in self.guarded if owner in (None, entry.owner)]
        self.guarded = deque(entry for entry in self.guarded if owner not in (None, entry.owner))
        for entry in unlocked:
            entry.outlives = entry.end_time == PENDING

    def epoch(self, target: int, index: int) -> Synchronization | None:
        """Return the call that opened the epoch of an operation on a target, or None."""
        found = self.locks.get(target) or self.all_locked
        if found is None and index in self.started:
            found = self.start
        return found or self.fence

    def open(self) -> list[Synchronization]:
        """Return the calls that opened epochs which must be ended."""
        found = [*self.locks.values(), self.all_locked, self.start, self.post]
        if self.used:
            found.append(self.fence)
        return [event for event in found if event is not None]

    def ends(self, opened: Synchronization | None, event: Synchronization) -> None:
        """Note that a call ends an epoch, if any is open."""
        if opened is not None:
            self.past.append((opened, event))

    def spans(self) -> tuple[Span, ...]:
        """Return the last ended epochs, and the open ones."""
        ended = [opened for opened, _ in self.past]
        return (*self.past, *((opened, None) for opened in self.open() if opened not in ended))

    def close(self) -> None:
        """Close all epochs, because the window is freed."""
        self.freed = True
        self.locks.clear()
        self.started = {}
        self.fence = self.start = self.post = self.all_locked = None
        self.used = False

    def targets(self) -> list[int]:
        """Return the targets of incomplete operations, by their ranks in the window's group."""
        return list({*self.local, *self.remote, *self.requested})

    def pending_operation(self, request: int) -> Event | None:
        """Return the operation of a pending request, or None."""
        for some in self.requested.values():
            for entry in some.get(request, ()):
                return entry.event
        return None

    def prune(self) -> None:
        """Drop accesses that are forgotten."""
        for some in (*self.local.values(), *self.remote.values()):
            some[:] = [entry for entry in some if entry.low >= 0]
        self.guarded = deque(entry for entry in self.guarded if entry.low >= 0)

    def pending(self) -> bool:
        """Return whether any operation of this process is incomplete."""
        return any(self.local.values()) or any(self.remote.values())

    def end_local(self, target: int, process: int, time: int, number: int) -> list[Entry]:
        """End all operations on a target at the origin, and return their accesses."""
        ended = self.local.pop(target, [])
        for some in self.requested.pop(target, {}).values():
            ended += some
        for entry in ended:
            entry.ends(process, time, number)
        return ended

    def end_remote(self, target: int, process: int, time: int, number: int) -> None:
        """End all operations on a target at the target."""
        for entry in self.remote.pop(target, ()):
            entry.ends(process, time, number)

    def merge_clock(self, clock: Iterable[int], number: int) -> None:
        """Note that the private copy now has everything that this process knows."""
        self.heard, self.heard_number = tuple(clock), number

    def has(self, entry: Entry, owner: int) -> bool:
        """Return whether the private copy has the changes of a completed operation."""
        if entry.end_process == owner:
            return entry.end_number <= self.heard_number
        return bool(self.heard) and entry.end_time <= self.heard[entry.end_process]

    def publish(self, time: int) -> None:
        """Note that the public copy has all stores, and the results of complete operations."""
        pending = []
        for entry in self.hidden:
            if entry.end_time != PENDING:
                entry.public_time = time
            elif entry.low >= 0:
                pending.append(entry)
        self.hidden = pending
        self.stored = None


class Window:
    """A window, with the events of all its processes."""

    def __init__(self) -> None:
        self.epochs: dict[int, Epochs] = {}  # by the process's index
        # Key: target, origin, number of the post.
        self.posts: dict[tuple[int, int, int], tuple[int, ...]] = {}
        self.no_put: dict[tuple[int, int, int], Synchronization] = {}  # posts with MPI_MODE_NOPUT
        self.completes: dict[
            tuple[int, int, int],
            tuple[tuple[int, ...], list[Entry], Synchronization, Segment],
        ] = {}
        self.fences: dict[int, Synchronization] = {}  # by number: the first process's call
        # The last accesses, by owner, origin, lock, and whether the access ends at the origin.
        # Accesses with equal keys end in order, so earlier ones need not be kept.
        self.last_update: dict[tuple[int, int, int, bool], Entry] = {}
        self.last_store: dict[tuple[int, int, int, bool], Entry] = {}

    def is_pending(self) -> bool:
        """Return whether later events depend on earlier events of the window in a way that
        `Epochs.shape` does not show.
        """
        if all(mine.freed for mine in self.epochs.values()):
            return False
        if any(mine.made.separate for mine in self.epochs.values()):
            return True
        calls = self.posts or self.no_put or self.completes or self.fences
        return bool(calls) or any(mine.is_pending() for mine in self.epochs.values())
