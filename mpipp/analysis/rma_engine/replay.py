# SPDX-License-Identifier: MIT
"""Replay of the events of all processes, each after its predecessors, to compare their accesses.

Processes take turns. A process that must be ordered after another's event waits for it. If no
process can continue, a log is incomplete or the program has hung. Then later events are not
analysed, because their order is unknown.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Mapping
from typing import NamedTuple

from mpipp.analysis.rma_engine.access_rules import (
    ACCUMULATE,
    GET,
    LOAD,
    PUT,
    READ,
    STORE,
    UPDATES,
    WRITTEN,
    Atomic,
)
from mpipp.analysis.rma_engine.accesses import PENDING, UNLOCKED, Entry, Segment, bounds
from mpipp.analysis.rma_engine.conflicts import Conflict, Conflicts
from mpipp.analysis.rma_engine.dynamic_windows import Attachments
from mpipp.analysis.rma_engine.epoch_errors import (
    Mistake,
    Mistakes,
    is_active,
    is_gone,
    no_put,
)
from mpipp.analysis.rma_engine.epochs import Epochs, exclusion
from mpipp.analysis.rma_engine.exposure_epochs import Exposures
from mpipp.analysis.rma_engine.flag_order import (
    ATOMIC,
    ELSEWHERE,
    LOCKED,
    POLLED,
    STORED,
    Flags,
    Group,
)
from mpipp.analysis.rma_engine.message_order import Messages
from mpipp.analysis.rma_engine.polling import Polling
from mpipp.analysis.rma_engine.process_clock import (
    DAMAGED,
    ReplayedProcess,
    Steps,
    WaitTable,
    join_clocks,
)
from mpipp.analysis.rma_engine.synchronization import Synchronizer
from mpipp.analysis.rma_engine.value_order import Key, Values, understood
from mpipp.analysis.rma_engine.window_lifetimes import Lives
from mpipp.model.rma_events import (
    UNKNOWN,
    Access,
    Attached,
    Brought,
    Collective,
    Completed,
    Event,
    Finalized,
    Memory,
    MemoryFreed,
    Operation,
    OtherWorldContact,
    Partitions,
    Probed,
    ReceiveBegun,
    Received,
    RequestFreed,
    Sent,
    Synchronization,
    WindowMade,
)

TURN = 256  # events of a process in one turn


class Result(NamedTuple):
    """The results of the analysis.

    Attributes:
        undecided: conflicts unless flags have ordered them, which the events do not show.
        cut: the last analysed event of each process with a rest that was not analysed; None:
            there is none.
        stuck: processes among these that wait for unknown events of others.
        forgotten: number of accesses that were dropped before later ones were compared with them.
        unknown: number of operations whose bytes are unknown.
        events: number of events.
        threaded: processes in which several threads have used windows, or their memory. Their
            accesses are assumed to be in the order of the events.
        locks: accesses in exclusive locks whose order decides the result.
    """

    conflicts: list[Conflict]
    mistakes: list[Mistake]
    undecided: list[Conflict]
    cut: dict[int, Event | None]
    stuck: frozenset[int]
    forgotten: int
    unknown: int
    events: int
    threaded: frozenset[int]
    locks: list[Conflict]


class _Analysis:
    def __init__(self, events: Mapping[int, Iterable[Event]], values: Values) -> None:
        self.values = values
        self.indices = {rank: at for at, rank in enumerate(sorted(events))}
        number = len(self.indices)
        self.processes = [
            ReplayedProcess(rank, at, number, events[rank]) for rank, at in self.indices.items()
        ]
        self.waits = WaitTable()
        self.messages = Messages(self.waits, self.indices)
        self.told: dict[Key, tuple[int, ...]] = {}  # clocks of atomic operations with known readers
        self.mistakes = Mistakes()
        self.attachments = Attachments(self.processes)
        self.lives = Lives(self.messages, self.mistakes, self.indices, self.attachments)
        self.windows = self.lives.windows
        self.flags = Flags(values)
        self.polling = Polling(self.processes, self.flags)
        self.conflicts = Conflicts(
            self.processes, self.windows, self.flags, self.polling, self._forgotten
        )
        self.exposures = Exposures(self.flags, self.mistakes)
        self.synchronizer = Synchronizer(
            self.messages, self.mistakes, self.exposures, self.indices, self._read
        )
        self.events = 0
        self.unknown = 0

    def run(self) -> Result:
        steps = [self._steps(process) for process in self.processes]
        ready = self.waits.ready
        ready += range(len(steps))
        while ready:
            turns = ready[:]
            ready.clear()
            for index in turns:
                what = next(steps[index], _OVER)
                if what is None:
                    ready.append(index)
                elif what is not _OVER:
                    self.waits.waiting.setdefault(what, []).append(index)
        self.flags.cut = not all(process.ended for process in self.processes)
        for operation, detached in self.attachments.lacking():
            self.mistakes.add("rma-detached", operation, detached)
        self.exposures.report()
        conflicts, undecided, locks = self.conflicts.decided()
        stuck = (self.processes[index] for index in self.waits.stuck(DAMAGED))
        return Result(
            conflicts,
            list(self.mistakes.found.values()),
            undecided,
            {process.rank: process.last for process in self.processes if not process.ended},
            frozenset(process.rank for process in stuck if not process.ended),
            self.conflicts.forgotten + self.attachments.forgotten,
            self.unknown,
            self.events,
            frozenset(process.rank for process in self.processes if len(process.users) > 1),
            locks,
        )

    def _steps(self, process: ReplayedProcess) -> Steps:
        # Replays all events of a process.
        left = TURN
        for event in process.events:
            left -= 1
            if not left:
                left = TURN
                yield None
            moment = event.moment
            process.number = moment.number
            if moment.thread:
                process.several = True
            if process.shares:
                self.flags.share(process, process.number)
            if self.lives.stacked[process.index]:
                self.lives.leave_functions(process, event)
            if isinstance(event, Access):
                self._access(process, event)
            elif isinstance(event, Operation):
                yield from self._operation(process, event)
            elif isinstance(event, Synchronization):
                yield from self._synchronization(process, event)
            elif isinstance(event, Sent):
                self.messages.send(process, event)
            elif isinstance(event, Received):
                yield from self.messages.receive(process, event)
            elif isinstance(event, Completed):
                yield from self.messages.complete(process, event)
            elif isinstance(event, Collective):
                yield from self.messages.collective(process, event)
            elif isinstance(event, ReceiveBegun):
                self.messages.begin(process, event)
            elif isinstance(event, Brought):
                yield from self._brought(process, event)
            else:
                yield from self._rare(process, event)
            process.last = event
            self.events += 1

    def _synchronization(self, process: ReplayedProcess, event: Synchronization) -> Steps:
        mine = self.lives.epochs(process, event.window)
        if mine is None:
            return
        process.users.add(event.moment.thread)
        kind = event.kind
        if kind == "free":  # the call has only begun
            self.mistakes.add_open_epochs(mine, event)
            mine.attempts[event.moment.thread] = "free"
            return
        least = 0 if kind in ("lock", "unlock") else -1
        if not least <= event.target < len(mine.made.ranks):
            yield DAMAGED
        if event.group and not self.indices.keys() >= set(event.group):
            yield DAMAGED
        window = self.windows[event.window]
        if kind == "sync" and not event.attempt:
            self.polling.synchronize(process, event)
        if event.exclusive and not event.attempt:
            owner = self.indices[mine.made.ranks[event.target]]
            self.flags.minded.add((event.window, owner, LOCKED))
        yield from self.synchronizer.synchronize(process, window, mine, event)

    def _rare(self, process: ReplayedProcess, event: Event) -> Steps:
        if isinstance(event, Partitions):
            yield from self.messages.partitions(process, event)
        elif isinstance(event, Probed):
            yield from self.messages.probe(process, event)
        elif isinstance(event, OtherWorldContact):
            group, number = (0, 0, ELSEWHERE), event.moment.number
            self.flags.minded.add(group)
            if event.tells:
                self.flags.writes(
                    group, process.current_segment(), process.current_segment(), number
                )
            else:
                self.flags.reads(group, process.index, process.time, number)
        elif isinstance(event, MemoryFreed):
            for operation, met in self.conflicts.pending_at(process, event.start, event.end):
                mine = self.lives.epochs(process, operation.window)
                self.mistakes.add("rma-gone", operation, event._replace(met=met), mine)
            self.lives.report_freed(process, event)
        elif isinstance(event, RequestFreed):
            for window in self.windows.values():
                mine = window.epochs.get(process.index)
                begun = mine.pending_operation(event.request) if mine else None
                if begun is not None:
                    self.mistakes.add("rma-given-up", begun, event, mine)
        elif isinstance(event, Finalized):
            for window in self.windows.values():
                mine = window.epochs.get(process.index)
                if mine and "free" not in mine.attempts.values():
                    self.mistakes.add_open_epochs(mine, event)
            process.ended = True
        else:
            if isinstance(event, (WindowMade, Attached)) and event.length > 0:
                self.conflicts.reached(process, event.base, event.base + event.length)
            yield from self.lives.step(process, event)

    def _local(
        self,
        process: ReplayedProcess,
        kind: int,
        event: Access | Operation,
        memory: Memory,
        owner: int,
    ) -> Entry | None:
        # An access by the process itself, with its addresses; None if it has no bytes.
        box = bounds(memory)
        if box is None:
            return None
        entry = Entry(kind, event, process.current_segment(), owner, memory, *box)
        self.lives.place(process, entry, self.processes[owner].rank)
        return entry

    def _access(self, process: ReplayedProcess, event: Access) -> None:
        owner = process.index if event.owner < 0 else self.indices.get(event.owner, process.index)
        kind = STORE if event.store else LOAD
        entry = self._local(process, kind, event, event.memory, owner)
        if entry is None:
            return
        process.users.add(event.moment.thread)
        self.conflicts.check(entry)
        entry.ends(process.index, process.time, event.moment.number)
        if entry.window:
            self.polling.access(process, entry)
            if entry.separate and kind == STORE:
                mine = self.lives.epochs(process, entry.window)
                assert mine is not None
                entry.public_time = PENDING
                mine.hidden.append(entry)
                self.conflicts.check_separate_model(entry)
            self.conflicts.add(entry)

    def _operation(self, process: ReplayedProcess, event: Operation) -> Steps:
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
        if key in self.values.told:
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
            entry = self._local(process, kind, event, memory, owner) if memory else None
            if entry is not None:
                entry.request = event.request
                entry.epoch = opened
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
            self.flags.minded.add(group)
            self.flags.writes(group, process.current_segment(), segment, number)
            self.flags.reads(group, process.index, process.time, number)

    def _flag(self, process: ReplayedProcess, event: Operation, owner: int) -> Group:
        # The possible flag that an atomic operation writes.
        key = process.rank, event.moment.number
        place = self.values.place(key)
        if place is None:
            return event.window, owner, ATOMIC
        return place, self.values.written(key)

    def _brought(self, process: ReplayedProcess, event: Brought) -> Steps:
        # The result of an atomic operation shows which operations of others precede it.
        key = process.rank, event.operation
        place = self.values.place(key)
        if place is None or event.value is None:
            return
        for other in self.values.reads.get(key, ()):
            while other not in self.told:
                yield "told", other
            process.merge_clock(self.told[other], event)
        # If it also writes the element, its own value comes after the value that it read.
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
            if mine.requested.get(event.target, {}).pop(event.request, None) is not None:
                if any(is_gone(entry, by) for entry in local):
                    self.mistakes.add("rma-gone", event, by, mine)
                for entry in local:
                    entry.ends(process.index, process.time, by.moment.number)
                self._read(process, local, by.moment.number)
            yield from ()

        process.requests[event.request] = end

    def _read(self, process: ReplayedProcess, ended: list[Entry], number: int) -> None:
        # The operations have ended at the origin, so the values that they read have arrived.
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
                self.flags.minded.add(group)
                self.flags.reads(group, process.index, process.time, number)
            if entry.epoch is not None and entry.epoch.kind in ("lock", "lock_all"):
                flags = (LOCKED, STORED) if event.only_reads else (LOCKED,)
                for flag in flags:
                    group = event.window, owner, flag
                    self.flags.reads(group, process.index, process.time, number)

    def _forgotten(self, entries: list[Entry]) -> None:
        # The end of a forgotten pending operation is not seen. It may already have read flags.
        for entry in entries:
            if entry.end_time == PENDING and entry.kind == WRITTEN:
                process = self.processes[entry.actor]
                self._read(process, [entry], entry.event.moment.number)
        for window in self.windows.values():
            for mine in window.epochs.values():
                mine.prune()


_OVER = object()


def analyse(
    events: Mapping[int, Iterable[Event]], again: Mapping[int, Iterable[Event]] | None = None
) -> Result:
    """Return conflicts and mistakes in the events of all processes.

    Both mappings have ranks in MPI_COMM_WORLD as keys. The events are read on demand, and not kept.

    Args:
        again: the same events once more; without them the values of atomic operations are not used.
    """
    return _Analysis(events, understood(again) if again else Values()).run()
