# SPDX-License-Identifier: MIT
"""Neighbors in topologies: what goes along an edge must be what is received (MPI-4.1, 8.6).

Where there are several edges from one process to another, which is which is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mpipp.checks.joined import Joined, Pairs
from mpipp.checks.world import Member
from mpipp.model import Comm


def sources(member: Member) -> list[int | None] | None:
    """The neighbors that send to a process in a topology.

    By their numbers; None for one that is not there. None if they are not known.
    """
    comm = member.comm
    if comm.topology == "cartesian":
        return list(_around(comm))
    return None if comm.sources is None else list(comm.sources)


def _targets(member: Member) -> list[int | None] | None:
    # The neighbors that it sends to.
    comm = member.comm
    if comm.topology == "cartesian":
        return list(_around(comm))
    return None if comm.destinations is None else list(comm.destinations)


def _around(comm: Comm) -> Iterator[int | None]:
    # In a Cartesian topology.
    for i, (size, periodic) in enumerate(zip(comm.dims, comm.periods)):
        for step in (-1, 1):
            at = list(comm.coords)
            at[i] += step
            if not periodic and not 0 <= at[i] < size:
                yield None
                continue
            at[i] %= size
            rank = 0
            for extent, position in zip(comm.dims, at):
                rank = rank * extent + position
            yield rank


def _edges(joined: Sequence[Joined]) -> Iterator[tuple[Joined, int, Joined, int]]:
    # Who sends, its number for the other, who receives, and that one's number for the sender.
    by_rank = {one.rank: one for one in joined}
    for one in joined:
        targets = _targets(one.member) or []
        for number, rank in enumerate(targets):
            other = by_rank.get(rank) if rank is not None else None
            if other is None or targets.count(rank) != 1:
                continue
            theirs = sources(other.member) or []
            if theirs.count(one.rank) == 1:
                yield one, number, other, theirs.index(one.rank)


def _allgather(joined: Sequence[Joined]) -> Pairs:
    for one, _, other, place in _edges(joined):
        yield one.whole("sendbuf"), other.share(place, "recvbuf")


def _alltoall(joined: Sequence[Joined]) -> Pairs:
    for one, number, other, place in _edges(joined):
        yield one.share(number, "sendbuf"), other.share(place, "recvbuf")


RULES: Mapping[str, Callable[[Sequence[Joined]], Pairs]] = {
    "neighbor_allgather": _allgather,
    "neighbor_allgatherv": _allgather,
    "neighbor_alltoall": _alltoall,
    "neighbor_alltoallv": _alltoall,
    "neighbor_alltoallw": _alltoall,
}
