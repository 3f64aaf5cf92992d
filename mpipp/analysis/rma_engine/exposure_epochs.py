# SPDX-License-Identifier: MIT
"""Check for epochs of two processes that must not be concurrent, even if they access different
memory.

 "It is erroneous to have a window locked and exposed (in an exposure epoch) concurrently" (MPI-4.1,
section 12.5.3). An epoch is compared with earlier ones whose end it does not know. The last one of
each process is enough, because earlier ones have ended before. With MPI_MODE_NOCHECK a start must
come after the matching posts (section 12.5.5).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from mpipp.analysis.rma_engine.accesses import PENDING, Segment
from mpipp.analysis.rma_engine.epoch_errors import Mistakes
from mpipp.analysis.rma_engine.epochs import signature
from mpipp.analysis.rma_engine.flag_order import Flags
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess
from mpipp.model.rma_events import Synchronization

_MOST_ALIKE = 16  # pairs kept for the same lines, in case the first is undecided
_ALL = -1  # in place of an owner: all owners, for MPI_Win_lock_all


class Lasting:
    """An epoch for the order of events: from its segment until `end_time` of `end_process`."""

    __slots__ = ("actor", "end_number", "end_process", "end_time", "event", "segment")

    def __init__(self, event: Synchronization, segment: Segment) -> None:
        self.event = event
        self.segment = segment
        self.actor = self.end_process = segment.process
        self.end_time = PENDING
        self.end_number = 0

    def ends(self, time: int, number: int) -> None:
        """Set the end, at an event in a segment of its process."""
        self.end_time, self.end_number = time, number


class Pairs:
    """Pairs of epochs for one rule.

    A pair violates the rule unless flags have ordered the second epoch before the first. If
    `either` is set, the first may also be ordered before the second.
    """

    def __init__(self, rule: str, flags: Flags, mistakes: Mistakes, *, either: bool) -> None:
        self._rule = rule
        self._flags = flags
        self._mistakes = mistakes
        self._either = either
        self._found: dict[tuple[int, int], list[tuple[Lasting, Lasting]]] = {}
        self._settled = set[tuple[int, int]]()  # pairs of lines with enough pairs of epochs

    def add(self, one: Lasting, other: Lasting) -> None:
        """Add a pair that no synchronization orders."""
        key = one.event.moment.place, other.event.moment.place
        alike = self._found.setdefault(key, [])
        if len(alike) == _MOST_ALIKE and key not in self._settled:
            # The flags that may order these pairs may order later ones, too: drop them.
            alike[:] = [pair for pair in alike if not self._may_be_ordered(*pair)]
            if len(alike) > _MOST_ALIKE // 2:
                self._settled.add(key)
        if len(alike) < _MOST_ALIKE:
            alike.append((one, other))

    def shape(self) -> Hashable:
        """Return a value that changes whenever one more pair is kept; None if kept pairs may be
        dropped."""
        if any(
            len(alike) == _MOST_ALIKE and key not in self._settled
            for key, alike in self._found.items()
        ):
            return None
        return tuple((key, len(alike)) for key, alike in self._found.items())

    def _may_be_ordered(self, one: Lasting, other: Lasting) -> bool:
        may_order = self._flags.may_order
        return may_order(other, one) or (self._either and may_order(one, other))

    def report(self) -> None:
        """Report one pair of epochs for each pair of source lines: the first that no flag orders.

        A flag is a variable with which processes may have signalled each other.
        """
        for alike in self._found.values():
            for one, other in alike:
                if not self._may_be_ordered(one, other):
                    self._mistakes.add(self._rule, one.event, other.event)
                    break


class Exposures:
    """The exposure epochs and locks of all windows."""

    def __init__(self, flags: Flags, mistakes: Mistakes) -> None:
        self._pairs = Pairs("rma-exposed", flags, mistakes, either=True)
        self._early = Pairs("rma-not-posted", flags, mistakes, either=False)
        self._exposed: dict[int, dict[int, Lasting]] = {}  # keys: window, owner
        self._locked: dict[tuple[int, int], dict[int, Lasting]] = {}  # keys: window, owner; actor

    def expose(self, process: ReplayedProcess, event: Synchronization) -> None:
        """Begin an exposure epoch, at MPI_Win_post."""
        new = Lasting(event, process.current_segment())
        for owner in (process.index, _ALL):
            for lock in self._locked.get((event.window, owner), {}).values():
                self._compare(lock, new, lock, new)
        self._exposed.setdefault(event.window, {})[process.index] = new

    def exposed(self, process: ReplayedProcess, window: int) -> Lasting | None:
        """Return the last exposure epoch of a process, or None."""
        return self._exposed.get(window, {}).get(process.index)

    def lock(self, process: ReplayedProcess, event: Synchronization, owner: int | None) -> None:
        """Note a call of MPI_Win_lock, or without an owner of MPI_Win_lock_all."""
        new = Lasting(event, process.current_segment())
        exposed = self._exposed.get(event.window, {})
        for at, post in exposed.items():
            if owner in (None, at):
                self._compare(post, new, new, post)
        locked = self._locked.setdefault((event.window, _ALL if owner is None else owner), {})
        locked[process.index] = new

    def unlock(self, process: ReplayedProcess, event: Synchronization, owner: int | None) -> None:
        """Note a call of MPI_Win_unlock, or without an owner of MPI_Win_unlock_all."""
        locked = self._locked.get((event.window, _ALL if owner is None else owner), {})
        if process.index in locked:
            locked[process.index].ends(process.time, event.moment.number)

    def _compare(self, before: Lasting, new: Lasting, lock: Lasting, post: Lasting) -> None:
        # If one process both locks and exposes its window, the check of its calls reports that.
        if before.actor != new.actor and _is_open(before, new):
            self._pairs.add(lock, post)

    def shape(self, clock: Sequence[int]) -> Hashable:
        """Return the state on which the comparison of later epochs depends; None if it cannot be
        compared.

        `clock`: segments that precede all later events.
        """
        pairs, early = self._pairs.shape(), self._early.shape()
        if pairs is None or early is None:
            return None
        lasting = (
            (key, some) for table in (self._exposed, self._locked) for key, some in table.items()
        )
        are_open = [
            (key, at, signature(one.event))
            for key, some in lasting
            for at, one in some.items()
            if one.end_time > clock[one.end_process]
        ]
        return pairs, early, tuple(are_open)

    def unchecked(self, start: Lasting, post: Lasting) -> None:
        """Compare a start and a post, both with MPI_MODE_NOCHECK.

        `post` ends when its call has returned.
        """
        if _is_open(post, start):
            self._early.add(start, post)

    def report(self) -> None:
        """Report all pairs that no flags may have ordered."""
        self._pairs.report()
        self._early.report()


def _is_open(before: Lasting, new: Lasting) -> bool:
    # Return whether the second epoch may begin before the end of the first.
    return before.end_time > new.segment.clock[before.end_process]
