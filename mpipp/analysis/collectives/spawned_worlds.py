# SPDX-License-Identifier: MIT
"""Parents and children of MPI_Comm_spawn, with their common intercommunicator.

MPI gives the intercommunicator no common name on both sides (MPI-4.1, section 11.8.2). mpipp
identifies it by the sizes of both groups, if only one pair of worlds has these sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.model import Comm

# Identity of the intercommunicator. MPI_COMM_WORLD has 1, and communicators from session groups
# have 2.
_FIRST = 3

# Ordinals of the calls that created a communicator, starting from the intercommunicator.
_Calls = tuple[int, ...]
_Members = Mapping[Process, Comm]


class Between(World):
    """Parents and children, with their intercommunicator and communicators made from it.

    In this world the ranks of the children follow those of the parents. A communicator made from
    the intercommunicator (MPI_Intercomm_merge, MPI_Comm_dup) is known if all processes are members.
    """

    def __init__(self, parents: _Members, children: _Members) -> None:
        super().__init__(())
        self._numbers: dict[Process, int] = {}
        for side in (parents, children):
            for process in sorted(side, key=lambda process: side[process].rank):
                self._numbers[process] = len(self._numbers)
        self._comms_by_identity = {process: {} for process in self._numbers}
        both = {**parents, **children}
        made = {process: _made_of(process, comm) for process, comm in both.items()}
        everywhere = set.intersection(*(set(comms) for comms in made.values()))
        for number, calls in enumerate(sorted(everywhere), _FIRST):
            sides = [{one: made[one][calls] for one in side} for side in (parents, children)]
            self._add(number, sides)
        self._by_rank = {number: process for process, number in self._numbers.items()}
        self._all = frozenset(self._numbers)
        self._ranks = dict(self._numbers)

    def _add(self, identity: int, sides: Sequence[_Members]) -> None:
        # Adds the communicators that the same calls created in each process. Skips them if the
        # procedures differed, or created different communicators, like MPI_Comm_split.
        everybody = {**sides[0], **sides[1]}
        kinds = {comm.inter for comm in everybody.values()}
        groups = sides if True in kinds else [everybody]
        if len(kinds) > 1 or not all(_is_whole(group, len(group)) for group in groups):
            return
        ranks = [
            [self._numbers[one] for one in sorted(group, key=lambda one: group[one].rank)]
            for group in groups
        ]
        for group, local, remote in zip(groups, ranks, ranks[::-1]):
            for process, comm in group.items():
                self._comms_by_identity[process][identity] = replace(
                    comm,
                    identity=identity,
                    world_ranks=local,
                    remote_world_ranks=remote if comm.inter else None,
                )

    def comm(self, process: Process, handle: int | None) -> Comm | None:
        """Return the intercommunicator, or a communicator made from it, with this handle."""
        for known in self._comms_by_identity[process].values():
            if known.header.handle == handle and not known.header.is_ended:
                return known
        return None

    def covers(self, comm: Comm, process: Process) -> bool:
        """Return whether `comm` is the intercommunicator, or made from it, in a process."""
        known = self._comms_by_identity.get(process, {}).values()
        return any(one.header.record == comm.header.record for one in known)


def between(known: Sequence[World]) -> list[Between]:
    """Return pairs of parents and children that are certain.

    Args:
        known: all worlds of the job. mpipp does not know which children an absent process has.
    """
    if len(known) < 2 or any(len(world.processes) != world.size for world in known):
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


def _made_of(process: Process, between: Comm) -> dict[_Calls, Comm]:
    # A communicator and all communicators made from it, by the calls that created them.
    serials: dict[int, _Calls] = {between.header.serial: ()}
    result: dict[_Calls, Comm] = {(): between}
    objects = process.registry.objects("comm", ended=True)
    made = [comm for comm in objects if isinstance(comm, Comm) and comm.made_of]
    for comm in sorted(made, key=lambda comm: comm.header.serial):
        before = serials.get(comm.made_of)
        if before is not None:
            calls = serials[comm.header.serial] = (*before, comm.made_by)
            result[calls] = comm
    return result


def _spawned(world: World) -> dict[Process, Comm]:
    # The intercommunicator with the parents, in each process of a world; empty if a process lacks
    # it.
    found = {}
    for process in world.processes:
        for comm in _of_two_worlds(process):
            if "imported" in comm.header.flags:
                found[process] = comm
    alike = len({comm.remote_size for comm in found.values()}) == 1
    return found if alike and _is_whole(found, world.size) else {}


def _spawners(world: World) -> dict[tuple[int, int], dict[Process, list[Comm]]]:
    # For the sizes of both groups: the intercommunicators with children, in each process. A process
    # is left out if the record of one of its children's communicators is lost.
    found: dict[tuple[int, int], dict[Process, list[Comm]]] = {}
    for process in world.processes:
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
