# SPDX-License-Identifier: MIT
"""The search for concurrent accesses that must not be concurrent.

An access is compared with earlier ones that overlap its bounding box, and whose end does not yet
happen before all later events. The events come in an order in which each follows its predecessors.
So an earlier access never comes after a later one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from mpipp.analysis.rma_engine import access_rules
from mpipp.analysis.rma_engine.access_rules import (
    ACCUMULATE,
    ACCUMULATES,
    GET,
    LANGUAGE,
    PUT,
    READ,
    READS,
    STORE,
    UPDATES,
    VERDICT,
    WRITTEN,
)
from mpipp.analysis.rma_engine.accesses import (
    EXCLUSIVE,
    PENDING,
    Accesses,
    Entry,
    Range,
    shared,
    shared_with,
)
from mpipp.analysis.rma_engine.conflicts import atomicity, pairs
from mpipp.analysis.rma_engine.conflicts.conflict import (
    THREADS,
    Candidate,
    Conflict,
    Lines,
    conflict_of,
    order,
)
from mpipp.analysis.rma_engine.epochs import Epochs, Window
from mpipp.analysis.rma_engine.flag_order import Flags
from mpipp.analysis.rma_engine.polling import Polling
from mpipp.analysis.rma_engine.process_clock import ReplayedProcess, common_segments
from mpipp.analysis.rma_engine.thread_order import ThreadOrder
from mpipp.model.rma_events import Event, Memory, Operation, Synchronization

# Conflicts kept for a pair of lines, in case the first is undecided. Also the last accesses
# kept for equal bytes, process and kind, if the process may have read flags between them.
MOST_ALIKE = 16
MOST_KEPT = 200_000  # accesses that are remembered
SWEEP = 4096  # accesses between two searches for accesses that need not be kept


def _forget_alike(covered: list[Entry]) -> int:
    # Drop all accesses except the last ones of the same bytes. Return how many were dropped.
    by_memory: dict[Memory, list[Entry]] = {}
    for entry in covered:
        by_memory.setdefault(entry.memory, []).append(entry)
    dropped = [entry for alike in by_memory.values() for entry in alike[:-MOST_ALIKE]]
    for entry in dropped:
        entry.forget()
    return len(dropped)


class Conflicts:
    """The conflicts of a run; `memory`: the accesses to the memory of each process, by index."""

    def __init__(
        self,
        processes: list[ReplayedProcess],
        windows: dict[int, Window],
        flags: Flags,
        polling: Polling,
        threads: ThreadOrder | None,
        told_forgotten: Callable[[list[Entry]], None],
    ) -> None:
        self.processes = processes
        self.windows = windows
        self.flags = flags
        self.polling = polling
        self._threads = threads
        self._told_forgotten = told_forgotten
        self.memory = [Accesses[Entry]() for _ in processes]
        self.found: dict[Lines, list[Candidate]] = {}
        self.times: dict[Lines, int] = {}
        self.forgotten = 0
        self._added = 0
        self._kept = 0
        self._left = 0  # accesses that the last `drop_ended` has kept
        self._ordered: dict[Lines, int] = {}  # dropped conflicts that flags may have ordered
        self._locked: list[Candidate] = []  # conflicts only if a lock is released before their end
        self._waiting = 0  # length of `_locked` after the last removal
        self._settled = set[Lines]()  # lines with enough conflicts that no flag has ordered
        self._noting: Event | None = None
        self._noted = set[tuple[Lines, int]]()  # conflicts of `_noting`
        self._reading = set[tuple[int, int]]()  # epochs with a get, by process and event

    def check(self, entry: Entry) -> None:
        """Compare an access with earlier ones."""
        low, high, kind, actor = entry.low, entry.high, entry.kind, entry.actor
        verdicts = VERDICT[kind]
        clock, threads = entry.segment.clock, self._threads
        entry.heard = self.flags.heard
        if kind == GET and entry.lock == EXCLUSIVE and entry.epoch is not None:
            self._reading.add((actor, entry.epoch.moment.number))
        for cell in self.memory[entry.owner].cells(low, high):
            gone, spared = 0, list[Entry]()
            for before in cell:
                if before.low >= high or before.high <= low:
                    if before.low < 0:
                        gone += 1
                    continue
                if verdicts[before.kind] and (
                    not before.private
                    or before.end_time == PENDING
                    or entry.lasting
                    or before.lasting
                ):
                    if before.end_time > clock[before.end_process]:
                        self._unordered(before, entry, pairs.why(before, entry))
                    elif threads is not None and not threads.orders(before, entry):
                        self._unordered(before, entry, THREADS)
                    elif before.separate:
                        self._copies(before, entry)
                if before.kind == kind and before.actor == actor and pairs.covers(entry, before):
                    if threads is not None and not threads.covers(before, entry):
                        continue
                    if pairs.may_be_ordered_by_flag(before, entry) or pairs.may_differ(
                        before, entry
                    ):
                        spared.append(before)
                        continue
                    before.forget()
                    gone += 1
            if len(spared) > MOST_ALIKE:
                gone += _forget_alike(spared)
            if gone == len(cell):
                cell.clear()
            elif gone:
                cell[:] = [before for before in cell if before.low >= 0]

    def add(self, entry: Entry) -> None:
        """Keep the access, to compare later accesses with it."""
        self.memory[entry.owner].add(entry)
        self._added += 1
        if self._added > SWEEP + self._kept:
            self._sweep()

    def reached(self, process: ReplayedProcess, low: int, high: int) -> None:
        """Note that other processes can access this memory from now on, as a part of a window."""
        for cell in self.memory[process.index].cells(low, high):
            for entry in cell:
                if entry.low < high and low < entry.high:
                    entry.private = False

    def check_separate_model(self, entry: Entry) -> None:
        """Find a store and an update of one window that must not be concurrent in the separate
        memory model."""
        window = self.windows[entry.window]
        stores = entry.kind == STORE
        others = window.last_update if stores else window.last_store
        clock = entry.segment.clock
        for (owner, _, _, _), before in others.items():
            if owner != entry.owner or before.low < 0:  # a dropped access, so its end is unknown
                continue
            if pairs.excluded(before, entry) or self._met(before, entry):
                continue
            if before.end_time > clock[before.end_process]:
                self._note(access_rules.APART.id, before, entry, None, pairs.why(before, entry))
            elif self._stale(before, entry):
                self._note(access_rules.COPIES.id, before, entry, None, "copies")
        mine = window.last_store if stores else window.last_update
        at_origin = isinstance(entry.event, Operation) and entry.event.only_reads
        mine[entry.owner, entry.actor, entry.lock, at_origin] = entry

    def pending_at(
        self, process: ReplayedProcess, low: int, high: int
    ) -> Iterator[tuple[Operation, int]]:
        """Yield a process's pending operations whose buffers overlap [low, high).

        With each comes the address of a byte that both have.
        """
        told = set[int]()
        for cell in self.memory[process.index].cells(low, high):
            for entry in cell:
                operation = entry.event
                if entry.kind not in (READ, WRITTEN) or entry.end_time != PENDING:
                    continue
                if entry.actor != process.index or entry.low >= high or entry.high <= low:
                    continue
                met = shared_with(entry, low, high)
                if met and isinstance(operation, Operation) and id(operation) not in told:
                    told.add(id(operation))
                    yield operation, met[0]

    def _unordered(self, before: Entry, entry: Entry, why: str) -> None:
        verdict = VERDICT[before.kind][entry.kind]
        if verdict == ACCUMULATES and pairs.update_alike(before, entry):
            return  # the usual case
        excluded = pairs.excluded(before, entry)
        if excluded and not (pairs.may_outlive(before) or pairs.may_outlive(entry)):
            self._locks(before, entry, THREADS if why == THREADS else "unordered")
            return
        if verdict == READS:
            one = before if before.kind == ACCUMULATE else entry
            if one.atomic is not None and one.atomic.reads_only:
                return
        if verdict == LANGUAGE:
            return
        if verdict == ACCUMULATES:
            common = atomicity.disturbed(atomicity.Accumulates.of(before, entry))
        else:
            common = shared(before, entry)
        if common is not None:
            is_one = before.event is entry.event
            rule = access_rules.ITSELF if is_one else access_rules.TABLE[before.kind][entry.kind].id
            if excluded:
                self._wait_for_lock(Candidate(rule, before, entry, common, why))
            else:
                self._note(rule, before, entry, common, why)

    def _locks(self, before: Entry, entry: Entry, why: str) -> None:
        # Note two accesses that exclusive locks separate, if the result depends on their order.
        # Epochs that read before they write, as for a counter, give the same result in any order.
        order_decides = PUT in (before.kind, entry.kind) and {before.kind, entry.kind} <= {GET, PUT}
        common = shared(before, entry) if order_decides else None
        if common is not None and not (self._reads_first(before) and self._reads_first(entry)):
            self._note(access_rules.LOCKS, before, entry, common, why)

    def _reads_first(self, entry: Entry) -> bool:
        epoch = entry.epoch
        return epoch is not None and (entry.actor, epoch.moment.number) in self._reading

    def _wait_for_lock(self, found: Candidate) -> None:
        # The candidate becomes a conflict only if the lock of the buffer ends before the operation.
        self._locked.append(found)
        if len(self._locked) > 2 * self._waiting + SWEEP:
            self._unlock()
            self._waiting = len(self._locked)

    def _unlock(self) -> None:
        # Turn waiting candidates into conflicts if their buffers were in use after the unlock.
        waiting = self._locked
        self._locked = []
        for found in waiting:
            if not pairs.excluded(found.before, found.entry):
                self._note(*found)
            elif pairs.may_outlive(found.before) or pairs.may_outlive(found.entry):
                self._locked.append(found)

    def _met(self, before: Entry, entry: Entry) -> bool:
        # Return whether the accesses share bytes, so that `check` compares them.
        return before.low < entry.high and entry.low < before.high and bool(shared(before, entry))

    def _stale(self, before: Entry, entry: Entry) -> bool:
        # Return whether two ordered accesses use copies of a window that were not synchronized
        # between them (separate model).
        if pairs.excluded(before, entry):
            return False  # unlock and lock between them synchronize the copies
        if before.kind in (STORE, WRITTEN):
            published = before.public_time <= entry.segment.clock[before.actor]
            return entry.kind in access_rules.REMOTE and not published
        if before.kind not in UPDATES or entry.kind in access_rules.REMOTE:
            return False
        return not self._epochs(before.window, before.owner).has(before, before.owner)

    def _copies(self, before: Entry, entry: Entry) -> None:
        if self._stale(before, entry):
            common = shared(before, entry)
            if common is not None:
                self._note(access_rules.COPIES.id, before, entry, common, "copies")

    def _epochs(self, window: int, process: int) -> Epochs:
        return self.windows[window].epochs[process]

    def _note(self, rule: str, before: Entry, entry: Entry, common: Range | None, why: str) -> None:
        one = before.actor, before.event.moment.place, before.kind
        other = entry.actor, entry.event.moment.place, entry.kind
        key = (rule, one, other) if one <= other else (rule, other, one)
        alike = self.found.setdefault(key, [])
        if self._noting is not entry.event:
            self._noting = entry.event
            self._noted.clear()
        if (key, id(before.event)) in self._noted:
            return  # an access is found in each cell that contains it
        self._noted.add((key, id(before.event)))
        self.times[key] = self.times.get(key, 0) + 1
        if len(alike) == MOST_ALIKE and key not in self._settled:
            # The flags that may order these conflicts may order later ones, too: drop them.
            left = self._not_ordered(alike)
            if len(left) > MOST_ALIKE // 2:
                self._settled.add(key)
            kept = left or alike[:1]
            self._ordered[key] = self._ordered.get(key, 0) + len(alike) - len(kept)
            alike[:] = kept
        if len(alike) < MOST_ALIKE:
            alike.append(Candidate(rule, before, entry, common, why))

    def is_settled(self, key: Lines) -> bool:
        """Return whether more conflicts of these lines are only counted."""
        return key in self._settled and len(self.found[key]) == MOST_ALIKE

    def drop_ended(self) -> None:
        """Drop accesses whose end happens before all later events, if there are twice as many
        accesses as after the last time."""
        if sum(some.number for some in self.memory) >= 2 * self._left:
            self._sweep()
            self._left = self._kept

    def is_pending(self) -> bool:
        """Return whether later accesses may conflict with earlier ones."""
        return bool(self._locked) or any(some.number for some in self.memory)

    def reading_epochs(self, process: int, mine: Epochs) -> Hashable:
        """Return which open epochs of a process on a window have a get."""
        return tuple(
            (process, opened.moment.number) in self._reading
            for opened in (*mine.locks.values(), mine.all_locked)
            if opened
        )

    def move_epochs(
        self,
        process: int,
        mine: Epochs,
        call: Callable[[Synchronization | None], Synchronization | None],
    ) -> None:
        """Note the new numbers of the calls that opened epochs; `call` returns the new call."""
        for opened in (*mine.locks.values(), mine.all_locked):
            if opened and (process, opened.moment.number) in self._reading:
                moved = call(opened)
                assert moved is not None
                self._reading.add((process, moved.moment.number))

    def _sweep(self) -> None:
        # Drops accesses that have ended before all processes: they conflict with no later one.
        known, threads = common_segments(self.processes), self._threads
        by_thread = threads.common(self.processes) if threads else []

        def wanted(entry: Entry) -> bool:
            if entry.end_time > known[entry.end_process]:
                return True
            if threads and entry.end_time > by_thread[threads.ended_by(entry)]:
                return True
            if not entry.separate:
                return False
            if entry.kind in (STORE, WRITTEN):
                return entry.public_time > known[entry.actor]
            return not self._epochs(entry.window, entry.owner).has(entry, entry.owner)

        kept = 0
        for accesses in self.memory:
            accesses.keep(wanted)
            kept += accesses.number
        if kept > MOST_KEPT:
            kept = self._forget()
        self._added, self._kept = 0, kept

    def _forget(self) -> int:
        # If there are too many accesses, drops the ended ones or, if that is not enough, all.
        dropped = [entry for some in self.memory for entry in some if entry.end_time != PENDING]
        if len(dropped) < MOST_KEPT // 2:
            dropped = [entry for some in self.memory for entry in some]
        for entry in dropped:
            entry.forget()
        self.forgotten += len(dropped)
        self._told_forgotten(dropped)
        for accesses in self.memory:
            accesses.keep(lambda entry: True)
        return sum(accesses.number for accesses in self.memory)

    def decided(self) -> tuple[list[Conflict], list[Conflict], list[Conflict]]:
        """Return conflicts, undecided conflicts, and accesses in exclusive locks without a fixed
        order.

        Flags may have ordered the accesses of undecided conflicts. Each list has one conflict per
        pair of lines.
        """
        self._unlock()
        conflicts: list[Conflict] = []
        undecided: list[Conflict] = []
        locks: list[Conflict] = []
        for key, alike in self.found.items():
            left = self._not_ordered(alike)
            ordered = self._ordered.get(key, 0) + len(alike) - len(left)
            if left:
                into = locks if key[0] == access_rules.LOCKS else conflicts
                into.append(conflict_of(left[0], self.times[key] - ordered, self.processes))
            elif key[0] != access_rules.LOCKS:
                undecided.append(conflict_of(alike[0], self.times[key], self.processes))
        first, second, third = (sorted(one, key=order) for one in (conflicts, undecided, locks))
        return first, second, third

    def _not_ordered(self, alike: list[Candidate]) -> list[Candidate]:
        return [one for one in alike if not self._may_be_ordered(one)]

    def _may_be_ordered(self, found: Candidate) -> bool:
        one, other = found.before, found.entry
        if found.why == THREADS:
            return (
                not (self._threads and self._threads.certain)
                or self.polling.may_be(one, other)
                or self.flags.may_order_threads(one, other)
            )
        if one.actor == other.actor:
            # The process itself orders its accesses, unless the target's MPI_Win_wait ends the
            # first one.
            return one.end_process != one.actor and self.flags.may_order(one, other)
        return (
            self.polling.may_be(one, other)
            or self.flags.may_order(one, other)
            or self.flags.may_order(other, one)
        )
