# SPDX-License-Identifier: MIT
"""Fingerprints of calls on an intercommunicator: the sums are zero exactly if both groups agree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mpipp.analysis.collectives import completed, dist_graph_edges
from mpipp.analysis.context.world import World
from mpipp.model import Buffer, Call, Comm
from tests.unit.distributed.test_fingerprints import vanish
from tests.unit.ledgers import IN_PLACE, OPS, Ended, buffer, call, processes, shared
from tests.unit.samples import FLOAT, INT

ROOT, NOBODY = -4, -3


@dataclass
class Across(Ended):
    """A process of an intercommunicator whose first group has `first` processes."""

    first: int = 1
    constants: dict[str, int] = field(
        default_factory=lambda: {
            "MPI_IN_PLACE": IN_PLACE,
            "MPI_ROOT": ROOT,
            "MPI_PROC_NULL": NOBODY,
        }
    )

    @property
    def ranks(self) -> tuple[range, range]:
        """The ranks of both groups in MPI_COMM_WORLD, its own group first."""
        both = range(self.first), range(self.first, self.size)
        return both if self.rank < self.first else both[::-1]

    @property
    def root(self) -> int:
        """The root argument. The first process of the first group is the root."""
        if self.rank >= self.first:
            return 0
        return NOBODY if self.rank else ROOT

    def comm(self) -> Comm:
        """The intercommunicator."""
        ours, theirs = self.ranks
        return replace(
            super().comm(),
            inter=True,
            rank=self.rank - ours.start,
            size=len(ours),
            remote_size=len(theirs),
            world_ranks=ours,
            remote_world_ranks=theirs,
        )


# The buffers of the root and of other processes; True: the root's has a part for each process.
ROOTED = {
    "Bcast": ("buffer", "buffer", False),
    "Gather": ("recvbuf", "sendbuf", True),
    "Scatter": ("sendbuf", "recvbuf", True),
    "Gatherv": ("recvbuf", "sendbuf", True),
    "Scatterv": ("sendbuf", "recvbuf", True),
    "Reduce": ("recvbuf", "sendbuf", False),
}
OTHERS = ["Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Allreduce"]
OTHERS += ["Reduce_scatter", "Reduce_scatter_block"]
KINDS = ["type", "count"]


def buffers(name: str, of: Across, count: int, type_: Any) -> list[Buffer]:
    """The buffers of a process, with `count` elements of a type for each peer."""
    many = len(of.ranks[1])
    each = {"peers": many}
    if name in ROOTED:
        own, theirs, is_each = ROOTED[name]
        if of.root == NOBODY:
            return []
        if of.root == ROOT:
            return [buffer(own, count, type_, many if is_each else 1)]
        return [buffer(theirs, count, type_)]
    if name in ("Alltoallv", "Alltoallw"):
        rows = [(count, type_)] * many
        return [shared("sendbuf", *rows), shared("recvbuf", *rows)]
    if name.startswith("All") and name != "Allreduce":
        sent = each if name == "Alltoall" else {}
        return [
            buffer("sendbuf", count, type_, **sent),
            buffer("recvbuf", count, type_, **each),
        ]
    return [buffer("sendbuf", count, type_), buffer("recvbuf", count, type_)]


def calling(name: str, of: Across, wrong: str = "") -> Call:
    given = buffers(name, of, 3 + (wrong == "count"), FLOAT if wrong == "type" else INT)
    fields: dict[str, Any] = {}
    if name in ROOTED:
        fields["root"] = of.root
        if wrong == "root":
            fields["root"] = 1 if of.root == 0 else NOBODY if of.root == ROOT else ROOT
    if "educe" in name:
        fields["op"] = OPS["MPI_MAX" if wrong == "op" else "MPI_SUM"]
    if name == "Reduce_scatter":
        fields["counts"] = (3,) * len(of.ranks[0])
    return call(f"MPI_{name}", *given, **fields)


def group(name: str, size: int, first: int, wrong: str = "", at: int = -1) -> list[Ended]:
    """Return the processes of both groups. One process makes a different call in the middle of a
    loop."""
    found: list[Ended] = []
    for rank in range(size):
        of = Across(rank, size, first=first)
        right, other = calling(name, of), calling(name, of, wrong if rank == at else "")
        found.append(of.joins((1, 6, [right]), (7, 1, [other]), (8, 100, [right])))
    return found


@pytest.mark.parametrize("name", [*ROOTED, *OTHERS])
def test_between_groups(name: str) -> None:
    kinds = [*KINDS, *["root"] * (name in ROOTED), *["op"] * ("educe" in name)]
    for size, first in ((2, 1), (3, 1), (5, 3)):
        right = group(name, size, first)
        assert list(completed.check(World(processes(right)))) == []
        assert vanish(right)
        for kind in kinds:
            told = set()
            for rank in range(size):
                wrong = group(name, size, first, kind, rank)
                if list(completed.check(World(processes(wrong)))):
                    told.add(rank)
                    assert not vanish(wrong), (size, kind, rank)
            assert told, (size, kind)


@dataclass
class Graph(Ended):
    """A process of a ring, with edges to the next process and from the previous one."""

    sources: tuple[int, ...] = ()
    destinations: tuple[int, ...] = ()

    def comm(self) -> Comm:
        """MPI_COMM_WORLD with the topology."""
        return replace(
            super().comm(),
            topology="distributed graph",
            sources=self.sources,
            destinations=self.destinations,
        )


def ring(size: int) -> list[Ended]:
    """Processes with a correct graph."""
    return [
        Graph(rank, size, sources=((rank - 1) % size, -1), destinations=((rank + 1) % size,))
        for rank in range(size)
    ]


def test_edges_of_a_graph() -> None:
    ended = ring(4)
    assert list(dist_graph_edges.check(World(processes(ended)))) == []
    assert vanish(ended)
    ended[2] = Graph(2, 4, sources=(), destinations=(3,))
    assert list(dist_graph_edges.check(World(processes(ended))))
    assert not vanish(ended)
