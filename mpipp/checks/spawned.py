# SPDX-License-Identifier: MIT
"""What MPI_Comm_spawn started and the processes that started it, on their intercommunicator.

Neither side is told which one of the other's it is (MPI-4.1, section 11.8.2). It is taken for the
same where no other can be meant: one MPI_COMM_WORLD of so many processes has so many parents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mpipp.checks.process import Process
from mpipp.checks.world import World
from mpipp.model import Comm

_IDENTITY = 3  # of one that has none; MPI_COMM_WORLD has 1, what sessions make of groups 2


class Between(World):
    """Parents and children, with nothing but the communicator between them.

    Ranks are counted on: those of the children follow those of the parents.
    """

    def __init__(self, parents: Mapping[Process, Comm], children: Mapping[Process, Comm]) -> None:
        super().__init__(())
        numbers = range(len(parents)), range(len(parents), len(parents) + len(children))
        for side, (local, remote) in zip((parents, children), (numbers, numbers[::-1])):
            for process, comm in side.items():
                known = replace(
                    comm, identity=_IDENTITY, world_ranks=local, remote_world_ranks=remote
                )
                self._by_rank[local[comm.rank]] = process
                self._known[process] = {_IDENTITY: known}
        self._by_rank = dict(sorted(self._by_rank.items()))
        self._all = frozenset(self._by_rank.values())
        self._ranks = {process: rank for rank, process in self._by_rank.items()}

    def comm(self, process: Process, handle: int | None) -> Comm | None:
        """The communicator between them, if it has this handle."""
        known = self._known[process][_IDENTITY]
        is_it = known.header.handle == handle and not known.header.ended
        return known if is_it else None

    def covers(self, comm: Comm, process: Process) -> bool:
        """Whether a process has it as the communicator between them."""
        known = self._known.get(process)
        return known is not None and known[_IDENTITY].header.record == comm.header.record


def between(known: Sequence[World]) -> list[Between]:
    """Those parents and children of whom it is certain.

    `known`: all that there are. Of one who is not here nobody knows whom it has spawned.
    """
    if len(known) < 2 or any(len(world.all) != world.size for world in known):
        return []
    parents: dict[tuple[int, int], list[dict[Process, list[Comm]]]] = {}
    children: dict[tuple[int, int], list[dict[Process, Comm]]] = {}
    for world in known:
        own = _spawned(world)
        if own:
            comm = next(iter(own.values()))
            children.setdefault((comm.remote_size, comm.size), []).append(own)
        for sizes, of_each in _spawners(world).items():
            parents.setdefault(sizes, []).append(of_each)
    result = []
    for sizes, jobs in children.items():
        worlds = parents.get(sizes, [])
        if len(jobs) == len(worlds) == 1 and all(len(comms) == 1 for comms in worlds[0].values()):
            found = {process: comms[0] for process, comms in worlds[0].items()}
            if _is_whole(found, sizes[0]) and not found.keys() & jobs[0].keys():
                result.append(Between(found, jobs[0]))
    return result


def _spawned(world: World) -> dict[Process, Comm]:
    # The communicator with the parents of all processes of a world; nothing if one is not there.
    found = {}
    for process in world.all:
        for comm in _of_two_worlds(process):
            if "imported" in comm.header.flags:
                found[process] = comm
    alike = len({comm.remote_size for comm in found.values()}) == 1
    return found if alike and _is_whole(found, world.size) else {}


def _spawners(world: World) -> dict[tuple[int, int], dict[Process, list[Comm]]]:
    # By the numbers of parents and of children, what each process has made; nothing of a process
    # of which the record of some is gone.
    found: dict[tuple[int, int], dict[Process, list[Comm]]] = {}
    for process in world.all:
        made = [comm for comm in _of_two_worlds(process) if "spawned" in comm.header.flags]
        if sum(comm.remote_size for comm in made) != process.registry.info.spawned:
            made = []
        for comm in made:
            sizes = comm.size, comm.remote_size
            found.setdefault(sizes, {}).setdefault(process, []).append(comm)
    return found


def _of_two_worlds(process: Process) -> Iterator[Comm]:
    for comm in process.registry.objects("comm", ended=True):
        if isinstance(comm, Comm) and comm.inter and not comm.identity:
            ranks = comm.remote_world_ranks
            if ranks is not None and all(rank < 0 for rank in ranks):
                yield comm


def _is_whole(found: Mapping[Process, Comm], size: int) -> bool:
    ranks = sorted(comm.rank for comm in found.values())
    return ranks == list(range(size)) and all(comm.size == size for comm in found.values())
