# SPDX-License-Identifier: MIT
"""One-sided operations: their accesses to both processes, from the call to their ends."""

from __future__ import annotations

from collections.abc import Generator, Hashable

from mpipp.analysis.rma_engine.access_rules import (
    ACCUMULATE,
    GET,
    PUT,
    READ,
    UPDATES,
    WRITTEN,
    Atomic,
)
from mpipp.analysis.rma_engine.accesses import PENDING, UNLOCKED, Entry, Segment, bounds
from mpipp.analysis.rma_engine.conflicts.search import Conflicts
from mpipp.analysis.rma_engine.epoch_errors import (
    is_active,
    is_gone,
    no_put,
)
from mpipp.analysis.rma_engine.epochs import Epochs, exclusion
from mpipp.analysis.rma_engine.flag_order import (
    ATOMIC,
    LOCKED,
    POLLED,
    STORED,
    Flags,
    Group,
)
from mpipp.analysis.rma_engine.polling import Polling
from mpipp.analysis.rma_engine.process_clock import (
    DAMAGED,
    ReplayedProcess,
    Steps,
    join_clocks,
)
from mpipp.analysis.rma_engine.thread_order import ThreadOrder
from mpipp.analysis.rma_engine.value_order import Key, Values
from mpipp.analysis.rma_engine.window_lifetimes import Lives
from mpipp.model.rma_events import (
    UNKNOWN,
    Access,
    Brought,
    Event,
    Memory,
    Operation,
    Synchronization,
)


class Operations:
    """The operations of all processes, from their calls to their ends."""

    def __init__(
        self,
        processes: list[ReplayedProcess],
        values: Values,
        lives: Lives,
        flags: Flags,
        polling: Polling,
        order: ThreadOrder | None,
    ) -> None:
        self.processes = processes
        self.values = values
        self.lives = lives
        self.windows = lives.windows
        self.indices = lives.indices
        self.attachments = lives.attachments
        self.mistakes = lives.mistakes
        self.waits = lives.messages.waits
        self.flags = flags
        self.order = order
        self.conflicts = Conflicts(processes, self.windows, flags, polling, order, self.forgotten)
        self.told: dict[Key, tuple[int, ...]] = {}  # clocks of atomic operations with known readers
        self.unknown = 0  # number of operations whose bytes are unknown

    def local(
        self,
        process: ReplayedProcess,
        kind: int,
        event: Access | Operation,
        memory: Memory,
        owner: int,
    ) -> Entry | None:
        """Return an access of a process to its own memory; None if the access has no bytes."""
        box = bounds(memory)
        if box is None:
            return None
        entry = Entry(kind, event, process.current_segment(), owner, memory, *box)
        self.lives.place(process, entry, self.processes[owner].rank)
        return entry

    def operation(self, process: ReplayedProcess, event: Operation) -> Steps:
        """Begin an operation, and compare its accesses with earlier ones."""
        mine = self.lives.epochs(process, event.window)
        if mine is None:
            return
        process.users.add(event.moment.thread)
        if not 0 <= event.target < len(mine.made.ranks):
            yield DAMAGED
        owner = self.indices[mine.made.ranks[event.target]]
        opened = mine.epoch(event.target, owner)
        if opened is None:
            self.mistakes.add("rma-no-epoch", event, None, mine)
            return
        if event.twice:
            self.mistakes.add("rma-twice", event, None, mine)
        if is_active(event, opened):
            self.mistakes.add("rma-with-request", event, opened, mine)
        key = process.rank, event.moment.number
        process.rare += key in self.values.places
        if key in self.values.told:
            process.rare += 1
            self.told[key] = process.release()
            self.waits.done(("told", key))
        segment = process.current_segment()
        if opened.kind == "start":
            segment = yield from self._joined(process, mine, event, owner)
        elif opened.kind == "fence":
            mine.used = True
            segment = yield from self._fenced(process, mine, owner)
        said = no_put(self.windows[event.window], process.index, owner, event, opened)
        if said is not None:
            self.mistakes.add("rma-noput", said, event, mine)
        if UNKNOWN in (event.origin, event.at_target, event.result, event.compare):
            self._of_unknown(process, event, segment, owner)
        local = self._buffers(process, event, opened)
        remote = self._at_target(process, event, segment, owner, mine, opened)
        if remote is not None:
            if event.only_reads:
                local.append(remote)
            else:
                mine.remote.setdefault(event.target, []).append(remote)
        if event.request:
            self._requested(process, mine, event, local)
        else:
            mine.local.setdefault(event.target, []).extend(local)

    def _joined(
        self, process: ReplayedProcess, mine: Epochs, event: Operation, owner: int
    ) -> Generator[Hashable, None, Segment]:
        # Waits for the target's MPI_Win_post, and returns the segment with its clock.
        window = self.windows[event.window]
        key = owner, process.index, mine.started[owner]
        while key not in window.posts:
            yield "post", event.window, *key
        return self._with(process, mine, owner, window.posts[key])

    def _fenced(
        self, process: ReplayedProcess, mine: Epochs, owner: int
    ) -> Generator[Hashable, None, Segment]:
        # Waits for the target's call of the fence, and returns the segment with its clock.
        meeting = mine.meeting
        assert meeting is not None
        meeting.origins.add(process.index)
        meeting.targets.add(owner)
        while owner not in meeting.begun:
            yield owner, meeting.key
        return self._with(process, mine, owner, meeting.begun[owner])

    def _with(
        self, process: ReplayedProcess, mine: Epochs, owner: int, clock: tuple[int, ...]
    ) -> Segment:
        now = process.current_segment()
        if clock[owner] <= now.clock[owner]:
            return now
        known = mine.joined.get(owner)
        if known is None or known[0] is not now:
            both = now._replace(clock=join_clocks(now.clock, clock))
            known = mine.joined[owner] = now, both
        return known[1]

    def _buffers(
        self, process: ReplayedProcess, event: Operation, opened: Synchronization
    ) -> list[Entry]:
        # The accesses to the origin's memory.
        own = process.index
        parts = [(WRITTEN if event.kind == "get" else READ, event.origin, own)]
        if event.result or event.compare:
            parts += [(READ, event.compare, own), (WRITTEN, event.result, own)]
        for one in event.lent:
            kind = WRITTEN if one.written else READ
            parts.append((kind, one.memory, self.indices.get(one.owner, own)))
        found = []
        for kind, memory, owner in parts:
            entry = self.local(process, kind, event, memory, owner) if memory else None
            if entry is not None:
                entry.request = event.request
                entry.epoch = opened
                entry.threaded = self.order is not None
                around = self.lives.epochs(process, entry.window) if entry.window else None
                if around is not None:
                    around.hold(entry)
                self.conflicts.check(entry)
                found.append(entry)
        for entry in found:
            self.conflicts.add(entry)
        return found

    def _at_target(
        self,
        process: ReplayedProcess,
        event: Operation,
        segment: Segment,
        owner: int,
        mine: Epochs,
        opened: Synchronization,
    ) -> Entry | None:
        # The access to the target's memory.
        box = bounds(event.at_target)
        if box is None:
            return None
        kind = PUT if event.kind == "put" else GET if event.kind == "get" else ACCUMULATE
        entry = Entry(kind, event, segment, owner, event.at_target, *box)
        entry.epoch = opened
        entry.request = event.request
        entry.window = event.window
        entry.separate = mine.made.separate
        if opened.kind in ("lock", "lock_all"):
            entry.lock = exclusion(opened)
        if mine.made.flavor == "dynamic":
            self.attachments.look(entry)
        number = event.moment.number
        if kind == ACCUMULATE:
            op = event.op or "MPI_REPLACE"
            entry.atomic = Atomic(op, event.types, event.kind != "accumulate", event.size)
            entry.made = mine.made
            if op != "MPI_NO_OP":
                group = self._flag(process, event, owner)
                self.flags.writes(group, process.current_segment(), segment, number)
        if kind in UPDATES:
            self.flags.writes(
                (event.window, owner, POLLED), process.current_segment(), segment, number
            )
            if entry.lock != UNLOCKED:
                self.flags.writes(
                    (event.window, owner, LOCKED), process.current_segment(), segment, number
                )
        self.conflicts.check(entry)
        if entry.separate and kind in UPDATES:
            self.conflicts.check_separate_model(entry)
        self.conflicts.add(entry)
        return entry

    def _of_unknown(
        self, process: ReplayedProcess, event: Operation, segment: Segment, owner: int
    ) -> None:
        # An operation with unknown bytes may write or read any flag of its target.
        self.unknown += 1
        number = event.moment.number
        for flag in (ATOMIC, LOCKED, POLLED, STORED):
            group = event.window, owner, flag
            self.flags.suspected.add(group)
            self.flags.writes(group, process.current_segment(), segment, number)
            self.flags.reads(group, process.index, process.time, number)

    def _flag(self, process: ReplayedProcess, event: Operation, owner: int) -> Group:
        # The possible flag that an atomic operation writes.
        key = process.rank, event.moment.number
        place = self.values.place(key)
        if place is None:
            return event.window, owner, ATOMIC
        return place, self.values.written(key)

    def brought(self, process: ReplayedProcess, event: Brought) -> Steps:
        """Process the result of an atomic operation, which shows operations of other processes that
        happen before it."""
        key = process.rank, event.operation
        place = self.values.place(key)
        if place is None or event.value is None:
            return
        for other in self.values.reads.get(key, ()):
            while other not in self.told:
                yield "told", other
            process.merge_clock(self.told[other], event)
        # If the operation also writes the element, its own value comes after the value that it
        # read.
        changes = self.values.written(key) is not None
        number = event.operation - 1 if changes else event.moment.number
        self.flags.reads((place, event.value), process.index, process.time, number)

    def _requested(
        self, process: ReplayedProcess, mine: Epochs, event: Operation, local: list[Entry]
    ) -> None:
        # The request completes the operation at the origin, unless another call did before.
        requested = mine.requested.setdefault(event.target, {})
        requested[event.request] = local

        def end(by: Event) -> Steps:
            if self.order is not None:
                self.order.complete_request(process, event.request, by.moment.number)
            if mine.requested.get(event.target, {}).pop(event.request, None) is not None:
                if any(is_gone(entry, by) for entry in local):
                    self.mistakes.add("rma-gone", event, by, mine)
                for entry in local:
                    entry.ends(process.index, process.time, by.moment.number)
                self.read(process, local, by.moment.number)
            yield from ()

        process.requests[event.request] = end

    def read(self, process: ReplayedProcess, ended: list[Entry], number: int) -> None:
        """Note that operations have ended at the origin, so the values that they read have
        arrived."""
        for entry in ended:
            event = entry.event
            if entry.kind != WRITTEN or not isinstance(event, Operation):
                continue
            owner = self.indices[
                self.windows[event.window].epochs[process.index].made.ranks[event.target]
            ]
            key = process.rank, event.moment.number
            if event.kind != "get" and self.values.place(key) is None:
                group = event.window, owner, ATOMIC
                self.flags.suspected.add(group)
                self.flags.reads(group, process.index, process.time, number)
            if entry.epoch is not None and entry.epoch.kind in ("lock", "lock_all"):
                flags = (LOCKED, STORED) if event.only_reads else (LOCKED,)
                for flag in flags:
                    group = event.window, owner, flag
                    self.flags.reads(group, process.index, process.time, number)

    def forgotten(self, entries: list[Entry]) -> None:
        """Drop accesses. The end of a pending operation among them is then not seen, so assume that
        it has already read flags."""
        for entry in entries:
            if entry.end_time == PENDING and entry.kind == WRITTEN:
                process = self.processes[entry.actor]
                self.read(process, [entry], entry.event.moment.number)
        for window in self.windows.values():
            for mine in window.epochs.values():
                mine.prune()
