# SPDX-License-Identifier: MIT
"""Replay of the events of all processes, each after its predecessors, to compare their accesses.

Processes take turns. A process that must be ordered after another's event waits for it. If no
process can continue, a log is incomplete or the program has hung. Then later events are not
analysed, because their order is unknown.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping

from mpipp.analysis.rma_engine.access_rules import (
    LOAD,
    STORE,
)
from mpipp.analysis.rma_engine.accesses import PENDING
from mpipp.analysis.rma_engine.dynamic_windows import Attachments
from mpipp.analysis.rma_engine.epoch_errors import (
    Mistakes,
)
from mpipp.analysis.rma_engine.exposure_epochs import Exposures
from mpipp.analysis.rma_engine.flag_order import (
    ELSEWHERE,
    FLAG_OF,
    LOCKED,
    Flags,
)
from mpipp.analysis.rma_engine.message_order import Messages
from mpipp.analysis.rma_engine.operations import Operations
from mpipp.analysis.rma_engine.polling import Polling
from mpipp.analysis.rma_engine.process_clock import (
    DAMAGED,
    PAUSE,
    TURN,
    ReplayedProcess,
    Steps,
    WaitTable,
)
from mpipp.analysis.rma_engine.repetition import Repetition
from mpipp.analysis.rma_engine.result import Result
from mpipp.analysis.rma_engine.synchronization import Synchronizer
from mpipp.analysis.rma_engine.thread_order import ALL, thread_order
from mpipp.analysis.rma_engine.value_order import Values, understood
from mpipp.analysis.rma_engine.window_lifetimes import Lives
from mpipp.model.message_events import Partitions, Probed, ReceiveBegun, Received, Sent
from mpipp.model.rma_events import (
    Access,
    Attached,
    Brought,
    Collective,
    Completed,
    Event,
    Finalized,
    FlagUse,
    MemoryFreed,
    Operation,
    OtherWorldContact,
    RequestFreed,
    Synchronization,
    ThreadAcquired,
    ThreadOrder,
    ThreadReleased,
    WindowFreed,
    WindowMade,
)


class _Analysis:
    def __init__(
        self,
        events: Mapping[int, Iterable[Event]],
        values: Values,
        known: Mapping[int, ThreadOrder],
    ) -> None:
        self.indices = {rank: at for at, rank in enumerate(sorted(events))}
        self.known = known
        self.order = order = thread_order(known, [*self.indices])
        number = order.size if order else len(self.indices)
        self.processes = [
            ReplayedProcess(rank, at, number, events[rank], order.threads[at] if order else None)
            for rank, at in self.indices.items()
        ]
        self.waits = WaitTable()
        self.messages = Messages(self.waits, self.indices)
        self.mistakes = Mistakes()
        self.attachments = Attachments(self.processes)
        self.lives = Lives(self.messages, self.mistakes, self.indices, self.attachments)
        self.windows = self.lives.windows
        self.flags = Flags(values)
        self.polling = Polling(self.processes, self.flags)
        self.operations = Operations(
            self.processes, values, self.lives, self.flags, self.polling, order
        )
        self.conflicts = self.operations.conflicts
        self.exposures = Exposures(self.flags, self.mistakes)
        self.synchronizer = Synchronizer(
            self.messages, self.mistakes, self.exposures, self.indices, order, self.operations.read
        )
        self.repetition = Repetition(
            self.processes, self.messages, self.operations, self.polling, self.exposures
        )
        self.events = 0

    def run(self) -> Result:
        steps = [self._steps(process) for process in self.processes]
        self.waits.ready += range(len(steps))
        paused = list[int]()
        while self.waits.ready:
            paused += self.waits.turn(steps)
            if len(paused) == len(steps):
                self.repetition.pause(self.events)
                self.waits.ready += paused
                paused.clear()
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
            self.operations.unknown,
            self.events + self.repetition.left_out,
            frozenset(
                process.rank
                for process in self.processes
                if len(process.users) > 1 and not self._is_observed(process.rank)
            ),
            locks,
        )

    def _is_observed(self, rank: int) -> bool:
        return rank in self.known and self.known[rank].observed

    def _steps(self, process: ReplayedProcess) -> Steps:
        # Replays all events of a process.
        for event in process.events:
            moment = event.moment
            while moment.number >= process.turn:
                process.turn += TURN
                yield None
            if moment.thread != process.thread:
                process.enter(moment.thread)
            process.number = moment.number
            if process.shares:
                self.flags.share(process, process.number)
            if self.lives.stacked[process.index]:
                self.lives.leave_functions(process, event)
            if isinstance(event, Access):
                self._access(process, event)
            elif isinstance(event, Operation):
                yield from self.operations.operation(process, event)
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
                yield from self.operations.brought(process, event)
            else:
                yield from self._rare(process, event)
            process.last = event
            self.events += 1
            if process.pauses:
                process.pauses = False
                yield PAUSE

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
            self.flags.suspected.add((event.window, owner, LOCKED))
        yield from self.synchronizer.synchronize(process, window, mine, event)

    def _rare(self, process: ReplayedProcess, event: Event) -> Steps:
        process.rare += 1
        if isinstance(event, Partitions):
            yield from self.messages.partitions(process, event)
        elif isinstance(event, Probed):
            yield from self.messages.probe(process, event)
        elif isinstance(event, FlagUse):
            self._use_flag(process, event)
        elif isinstance(event, OtherWorldContact):
            group, number = (0, 0, ELSEWHERE), event.moment.number
            self.flags.suspected.add(group)
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
        elif isinstance(event, ThreadReleased):
            if process.threads is not None:
                process.threads.pass_on(process, event)
        elif isinstance(event, ThreadAcquired):
            if process.threads is not None:
                process.threads.take(process, event)
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
            if self.order is not None and isinstance(event, WindowFreed):
                number = event.moment.number
                self.order.complete(process, event.window, ALL, number, everywhere=True)
            if isinstance(event, (WindowMade, Attached)) and event.length > 0:
                self.conflicts.reached(process, event.base, event.base + event.length)
            yield from self.lives.step(process, event)

    def _use_flag(self, process: ReplayedProcess, event: FlagUse) -> None:
        group = event.window, self.indices[event.owner], FLAG_OF[event.flag]
        if event.use == "suspected":
            self.flags.suspected.add(group)
        elif event.use == "read":
            self.flags.reads(group, process.index, process.time, event.moment.number)
        else:
            segment = process.current_segment()
            self.flags.writes(group, segment, segment, event.moment.number)

    def _access(self, process: ReplayedProcess, event: Access) -> None:
        owner = process.index if event.owner < 0 else self.indices.get(event.owner, process.index)
        kind = STORE if event.store else LOAD
        entry = self.operations.local(process, kind, event, event.memory, owner)
        if entry is None:
            return
        process.users.add(event.moment.thread)
        entry.lasting = event.lasting
        entry.threaded = event.lasting
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
        if entry.window or process.threads is not None:
            self.conflicts.add(entry)


def analyse(
    events: Mapping[int, Iterable[Event]],
    again: Mapping[int, Iterable[Event]] | None = None,
    threads: Mapping[int, ThreadOrder] | None = None,
) -> Result:
    """Return conflicts and mistakes in the events of all processes.

    The keys of all arguments are ranks in MPI_COMM_WORLD. The events are read on demand, and not
    kept.

    Args:
        again: a second iterator over the same events; without it the values of atomic operations
            are not used.
        threads: the knowledge of the order of each process's threads.
    """
    # The events and accesses have no reference cycles, and searching for some takes a third of the
    # time.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _Analysis(events, understood(again) if again else Values(), threads or {}).run()
    finally:
        if collects:
            gc.enable()
