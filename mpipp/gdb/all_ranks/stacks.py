# SPDX-License-Identifier: MIT
"""The stacks of all inferiors, live or from core files: a tree for each MPI_COMM_WORLD."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import gdb

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock import stack_steps
from mpipp.common.errors import MpippError
from mpipp.gdb import job_ranks
from mpipp.gdb.all_ranks import thread_stack
from mpipp.gdb.debug_session import running_calls
from mpipp.gdb.program import abandoned_frames, outside_mpi, sessions
from mpipp.gdb.program.inferior_memory import is_core, selected
from mpipp.gdb.program.ranks import inferiors
from mpipp.gdb.program.sessions import Session
from mpipp.model import Thread
from mpipp.ranks.stack_tree import PROGRAM, STATE, StackTree, Step


class Job(NamedTuple):
    """The stacks of the processes of one MPI_COMM_WORLD, by rank.

    Attributes:
        size: the size of MPI_COMM_WORLD; 0 if unknown.
        live: the processes that run or are stopped, not the core files, by rank.
    """

    size: int
    inferiors: list[int]
    stacks: StackTree
    live: dict[int, Process]


class Stacks(NamedTuple):
    """The stacks of all inferiors.

    Attributes:
        others: stacks of processes without records, by the inferior's number, or by the rank that
            the launcher gave them.
        others_are_ranks: whether the numbers in `others` are ranks.
        failures: a sentence for each process whose records cannot be read.
    """

    jobs: list[Job]
    others: StackTree
    others_are_ranks: bool
    failures: list[str]


class _Inferior(NamedTuple):
    number: int
    process: Process | None  # None: the process has no records
    stacks: list[list[Step]]
    is_live: bool
    failure: str


def gathered() -> Stacks:
    """Read the stacks of all inferiors. Raises MpippError if there is no process."""
    every = inferiors()
    if not every:
        sessions.required()  # raises an error with advice
    found = [_read(one) for one in every if one.threads()]
    by_process = {one.process: one for one in found if one.process is not None}
    jobs, others = [], StackTree()
    for world in worlds(list(by_process)):
        members = [by_process[process] for process in world.processes]
        tree, live = StackTree(), {}
        for process, one in zip(world.processes, members):
            rank = world.rank(process) or 0
            for stack in one.stacks:
                tree.add(rank, stack)
            if one.is_live:
                live[rank] = process
        if members:
            jobs.append(Job(world.size, [one.number for one in members], tree, live))
    ranked = {number for job in jobs for number in job.inferiors}
    names = {one.number: job_ranks.rank(one.number) for one in found if one.number not in ranked}
    are_ranks = bool(names) and None not in names.values()
    for one in found:
        for stack in one.stacks if one.number in names else ():
            others.add((names[one.number] or 0) if are_ranks else one.number, stack)
    failures = [f"{job_ranks.words([one.number])}: {one.failure}" for one in found if one.failure]
    return Stacks(jobs, others, are_ranks, failures)


def _read(inferior: gdb.Inferior) -> _Inferior:
    with selected(inferior), sessions.also_running() as session:
        process = None
        if session is not None:
            process = Process(inferior.num, session.registry, session, None)
        failure = ""
        try:
            stacks = list(_stacks(inferior, session, process))
        except MpippError as error:  # for example, a running process has changed its records
            failure = str(error)
            stacks = list(_stacks(inferior, None, None))
        return _Inferior(inferior.num, process, stacks, not is_core(), failure)


def _stacks(
    inferior: gdb.Inferior, session: Session | None, process: Process | None
) -> Iterator[list[Step]]:
    for thread, recorded in thread_stack.shown_threads(inferior, session):
        if not thread.is_stopped():
            yield [*_recorded(recorded, session, process), Step("running", STATE)]
            continue
        with abandoned_frames.selected(thread):
            steps = thread_stack.steps(session, process)
            fault = outside_mpi.fault(session) if session is not None else None
        if fault is not None:
            steps.append(Step(f"stopped by {fault.signal}", STATE))
        yield steps or [Step("where is not known", STATE)]


def _recorded(
    thread: Thread | None, session: Session | None, process: Process | None
) -> list[Step]:
    # The MPI call that a running thread is in, with its callers.
    call = (thread.call or thread.unrecorded) if thread is not None else None
    if thread is None or call is None or session is None or process is None:
        return []
    frames = reversed(running_calls.frames(thread, session))
    places = [Step(frame.text, PROGRAM, frame.path, frame.line) for frame in frames]
    return [*places, *stack_steps.steps(Operation(process, call, None, None))]
