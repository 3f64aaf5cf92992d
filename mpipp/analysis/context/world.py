# SPDX-License-Identifier: MIT
"""The checked processes of one MPI_COMM_WORLD, and the members of their communicators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.records_protocol import OnesidedLog
from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.model import Comm, ProcessInfo


class Member(NamedTuple):
    """A process on a communicator."""

    process: Process
    comm: Comm  # the communicator's record in this process


def worlds(processes: Sequence[Process]) -> list[World]:
    """Return the processes grouped by MPI_COMM_WORLD; each alone if that is unknown."""
    result = []
    for job in _split(processes, lambda info: info.job):
        if _may_be_single(job):
            result.append(World(job))
            continue
        # On each machine, each job has one launcher.
        for started in _split(job, lambda info: info.parent):
            known = [started] if _may_be_single(started) else [[one] for one in started]
            result += [World(one) for one in known]
    return result


def _split(
    processes: Sequence[Process], by: Callable[[ProcessInfo], int]
) -> Iterable[list[Process]]:
    found: dict[int, list[Process]] = {}
    for process in processes:
        found.setdefault(by(process.registry.info), []).append(process)
    return found.values()


def _may_be_single(processes: Sequence[Process]) -> bool:
    every = (process.registry.info for process in processes)
    infos = [info for info in every if info.world_rank is not None]
    ranks = {info.world_rank for info in infos}
    return len(ranks) == len(infos) and len({info.world_size for info in infos}) <= 1


class World:
    """The processes of one MPI_COMM_WORLD, without processes of unknown rank.

    Communicators are the same if their identities are equal (wrapper/recorder/matching/channels.h).
    Handles and members do not show this.
    """

    def __init__(self, processes: Sequence[Process]) -> None:
        ranks = [process.registry.info.world_rank for process in processes]
        by_rank = {rank: one for rank, one in zip(ranks, processes) if rank is not None}
        self._by_rank = dict(sorted(by_rank.items()))
        self._all = frozenset(self._by_rank.values())
        self._logs: dict[Process, OnesidedLog | None] = {}
        self._ranks = {process: rank for rank, process in self._by_rank.items()}
        # Findings on collective operations, by communicator and ordinal. Cached, because several
        # checks need the findings, and computing them for hundreds of processes takes long.
        self.compared: dict[tuple[int, int], list[Finding] | MpippError] = {}

    def onesided(self, process: Process) -> OnesidedLog | None:
        """Return the RMA log of a process; None if it has none.

        A log is read only once, because it may be long. Raises MpippError.
        """
        if process not in self._logs:
            self._logs[process] = process.registry.onesided()
        return self._logs[process]

    @property
    def processes(self) -> list[Process]:
        """The processes, sorted by rank."""
        return list(self._by_rank.values())

    def rank(self, process: Process) -> int | None:
        """Return the rank of a process in MPI_COMM_WORLD; None if it is not one of these."""
        return self._ranks.get(process)

    def comm(self, process: Process, handle: int | None) -> Comm | None:
        """Return the communicator of a handle; None if its identity is unknown."""
        found = process.registry.find("comm", handle) if handle is not None else None
        return found if isinstance(found, Comm) and found.identity else None

    def member_of(self, operation: Operation) -> Member | None:
        """Return the process of an operation with the operation's communicator."""
        if operation.process not in self._all:
            return None
        comm = self.comm(operation.process, operation.call.comm)
        return Member(operation.process, comm) if comm is not None else None

    def world_rank(self, member: Member, rank: int) -> int | None:
        """Return the rank in MPI_COMM_WORLD of the peer that has `rank` on the communicator."""
        comm = member.comm
        ranks = comm.remote_world_ranks if comm.inter else comm.world_ranks
        return ranks[rank] if ranks is not None and 0 <= rank < len(ranks) else None

    def peers(self, member: Member) -> list[Member | None]:
        """Return the members that may send to a process on a communicator, by rank.

        An item is None if the process is not checked.
        """
        comm = member.comm
        size = comm.remote_size if comm.inter else comm.size
        return [self.peer(member, rank) for rank in range(size)]

    def peer(self, member: Member, rank: int) -> Member | None:
        """Return the item of `peers` for a rank; None if it is not checked, or does not exist."""
        world_rank = self.world_rank(member, rank)
        process = None if world_rank is None else self._by_rank.get(world_rank)
        theirs = None if process is None else self._comms(process).get(member.comm.identity)
        return Member(process, theirs) if process and theirs else None

    def process(self, world_rank: int) -> Process | None:
        """Return the process with a rank in MPI_COMM_WORLD; None if it is not checked."""
        return self._by_rank.get(world_rank)

    @property
    def size(self) -> int:
        """The size of MPI_COMM_WORLD."""
        return next((one.registry.info.world_size or 0 for one in self.processes), 0)

    def comms(self, process: Process) -> list[Comm]:
        """Return the communicators of a process that have an identity, also freed ones."""
        return list(self._comms(process).values())

    def _comms(self, process: Process) -> dict[int, Comm]:
        if process not in self._comms_by_identity:
            found = process.registry.objects("comm", ended=True)
            self._comms_by_identity[process] = {
                c.identity: c for c in found if isinstance(c, Comm) and c.identity
            }
        return self._comms_by_identity[process]

    @cached_property
    def _comms_by_identity(self) -> dict[Process, dict[int, Comm]]:
        return {}
