# SPDX-License-Identifier: MIT
"""The inferiors that have a registry, in the form that the checks expect."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import gdb

from mpipp.analysis.context.buffer_accesses import accesses
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Party
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.gdb import job_ranks
from mpipp.gdb.program import (
    call_sites,
    calling_frame,
    memory_mappings,
    outside_mpi,
    sessions,
    silent_threads,
)
from mpipp.gdb.program.inferior_memory import selected
from mpipp.gdb.program.ranks import first_thread
from mpipp.gdb.program.sessions import Session
from mpipp.model import Thread
from mpipp.symbolizer.source_frames import Frame


class CheckedInferiors:
    """The processes to check, and the reasons why others cannot be checked."""

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.sessions: list[Session] = []
        self.failures: list[str] = []
        inferiors = sorted((i for i in gdb.inferiors() if i.pid), key=lambda i: i.num)
        if not inferiors:
            sessions.required()  # raises an error with advice
        if not gdb.selected_inferior().pid and inferiors[0].threads():
            # Without this, gdb prints a line each time it selects an inferior without a process.
            first_thread(inferiors[0]).switch()
        if len(inferiors) == 1:
            with selected(inferiors[0]):
                self._add(sessions.required())
            return
        failed: dict[str, list[int]] = {}
        for inferior in inferiors:
            with selected(inferior):
                try:
                    self._add(sessions.required())
                except MpippError as error:
                    failed.setdefault(str(error), []).append(inferior.num)
        self.failures += [f"{job_ranks.words(each)}: {why}" for why, each in failed.items()]
        if not self.processes:
            sessions.required()  # raises an error with advice
            raise MpippError("\n".join(self.failures))

    def _add(self, session: Session) -> None:
        _expect_stopped(session)
        beside = functools.partial(silent_threads.may_call, session)
        number = len(self.processes)
        death = outside_mpi.death(session)
        process = Process(number, session.registry, session, memory_mappings.gaps(), beside, death)
        self.processes.append(process)
        self.sessions.append(session)

    def failed(self, process: Process | None, error: MpippError) -> None:
        """Note that damaged records stopped a check of one process or, for None, of all
        processes."""
        label = self.label(process.number) if process else ""
        failure = f"{label}{': ' if label else ''}not everything was checked: {error}"
        if failure not in self.failures:
            self.failures.append(failure)

    def label(self, *numbers: int) -> str:
        """The ranks or inferiors of some processes, in words; "" if there is only one process."""
        if len(self.processes) == 1:
            return ""
        sessions = [self.sessions[number] for number in numbers]
        ranks = [session.registry.info.world_rank for session in sessions]
        inferiors = job_ranks.words([session.inferior.num for session in sessions])
        known = [rank for rank in ranks if rank is not None]
        named = wording.ranks(known)
        if len(known) < len(ranks) or named == inferiors:
            return inferiors
        return f"{named} ({inferiors})"

    def rank(self, number: int) -> int | None:
        """The rank of a process in MPI_COMM_WORLD; None if unknown."""
        return self.sessions[number].registry.info.world_rank

    def place(self, operation: Operation) -> str:
        """The source line of the call that started an operation."""
        session = self.sessions[operation.process.number]
        with selected(session.inferior):
            if operation.tid is not None:
                return calling_frame.place(operation.call.site, operation.tid, session)
            return call_sites.place(operation.call.site) or "an unknown place"

    def holding(self, address: int) -> Iterator[tuple[str, Operation]]:
        """The pending operations of the selected inferior whose buffer contains the byte at
        `address`.

        Each comes with the name of the element that contains the byte.
        """
        number = gdb.selected_inferior().num
        for process, session in zip(self.processes, self.sessions):
            if session.inferior.num != number:
                continue
            for operation in process.operations:
                if operation.request is None or not operation.started:
                    continue
                for access in accesses(operation):
                    element = next(access.names(address), None)
                    if element is not None:
                        yield element.text, operation

    def outside(self, process: Process) -> str:
        """The activity of a process outside MPI: "computing at solver.c:80 in relax"."""
        session = self.sessions[process.number]
        with selected(session.inferior):
            return outside_mpi.doing(session)

    def where(self, party: Party) -> list[str]:
        """The source lines of a party's call, as text."""
        session = self.sessions[party.process]
        tid = self._thread_of(party)
        with selected(session.inferior):
            if tid is not None:
                place = calling_frame.place(party.site, tid, session)
                return [place, *calling_frame.callers(party.site, tid, session)]
            return call_sites.site(party.site)

    def frames(self, party: Party) -> list[Frame]:
        """The source lines of a party's call. Callers without a source line are left out."""
        session = self.sessions[party.process]
        tid = self._thread_of(party)
        with selected(session.inferior):
            if tid is not None:
                return calling_frame.frames(party.site, tid, session)
            return call_sites.frames(party.site)

    def _thread_of(self, party: Party) -> int | None:
        # A party of a completed call has no thread. But the thread may still be inside that call.
        call = party.evidence.call
        if party.tid is not None or call is None:
            return party.tid
        inside = ((one.tid, one.call) for one in self.processes[party.process].threads if one.call)
        own = (tid for tid, one in inside if (one.frame, one.serial) == (call.frame, call.serial))
        return next(own, None)


def _expect_stopped(session: Session) -> None:
    # In non-stop mode a running thread may change its records while mpipp reads them.
    inferior = session.inferior
    if not gdb.parameter("non-stop") or job_ranks.is_halted(inferior.num):
        return
    recorded = {one.tid for one in session.registry.threads() if isinstance(one, Thread)}
    running = [one for one in inferior.threads() if not one.is_stopped()]
    numbers = [one.num for one in running if one.ptid[1] in recorded]
    if numbers and job_ranks.rank(inferior.num) is not None:
        raise MpippError(f"a thread that calls MPI runs: stop it with {job_ranks.interrupt()}")
    if numbers:
        name = f"{inferior.num}.{min(numbers)}" if len(gdb.inferiors()) > 1 else min(numbers)
        raise MpippError(f"thread {name}, which calls MPI, runs: stop it with interrupt")
