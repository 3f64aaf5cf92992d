# SPDX-License-Identifier: MIT
"""Fingerprints: the sums are zero for correct programs, and not zero if checks find an error."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from mpipp.analysis.collectives import completed as completed_collectives
from mpipp.analysis.context.world import World
from mpipp.analysis.messages import completed as completed_messages
from mpipp.distributed.fingerprints import process
from mpipp.distributed.fingerprints.arithmetic import Pair, added
from mpipp.model import Call, Comm
from mpipp.typetree import Datatype
from tests.short import sizes
from tests.unit.ledgers import OPS, Ended, Run, buffer, call, in_place, processes, shared
from tests.unit.samples import CHAR, DOUBLE, FLOAT, INT, contiguous

TRIPLE = contiguous(3, INT)
MANY = 10**6  # calls in a loop


def vanish(ended: Sequence[Ended]) -> bool:
    """Return whether the sums of all channels are zero."""
    found: dict[int, Pair] = {}
    for one in ended:
        if one.parts is None:
            one.parts = list(process.parts(one.process()))
        for part in one.parts:
            found[part.key] = added(found.get(part.key, (0, 0)), part.sum)
    halves = [[total[number] == 0 for total in found.values()] for number in range(2)]
    assert halves[0] == halves[1]
    return all(halves[0])


# Collective calls: how a rank calls an operation, correctly or with a named error.

Made = Callable[[int, int, str], Call]  # rank, size, error


def described(rank: int, wrong: str, of: str, peers: int = 1, role: str = "") -> Any:
    """A buffer of three integers for each peer. Odd ranks use another datatype for them."""
    role = role or of
    if wrong == f"{of} type":
        return buffer(role, 3, FLOAT, peers)
    if wrong == f"{of} count":
        return buffer(role, 4, INT, peers)
    return buffer(role, 1, TRIPLE, peers) if rank % 2 else buffer(role, 3, INT, peers)


def varied(rank: int, size: int, wrong: str, of: str, sent: Callable[[int], int]) -> Any:
    """A buffer with a part for each peer, of `sent(peer)` integers."""
    shares: list[tuple[int, Datatype]] = [(sent(peer), INT) for peer in range(size)]
    for peer in range(size):
        if wrong == f"{of} {peer} type":
            shares[peer] = (shares[peer][0], FLOAT)
        if wrong == f"{of} {peer} count":
            shares[peer] = (shares[peer][0] + 1, INT)
    return shared(of, *shares)


def plain(name: str, *roles: str, **fields: Any) -> Made:
    """A call with buffers: "sendbuf", or "recvbuf*n" with a part for each peer."""

    def made(rank: int, size: int, wrong: str) -> Call:
        given = dict(fields)
        if "root" in given:
            given["root"] = 1 if wrong == "root" else 0
        if "op" in given:
            given["op"] = OPS["MPI_MAX" if wrong == "op" else "MPI_SUM"]
        procedure = {"procedure": "MPI_Barrier", "form": f"MPI_I{name[4:].lower()}"}
        buffers = []
        for role in roles:
            role, _, many = role.partition("*")
            buffers.append(described(rank, wrong, role, size if many else 1))
        return call(procedure.get(wrong, name), *buffers, **given)

    return made


def gatherv(rank: int, size: int, wrong: str) -> Call:
    sent = buffer("sendbuf", rank + 1 + (wrong == "sendbuf count"), INT)
    if wrong == "sendbuf type":
        sent = buffer("sendbuf", rank + 1, FLOAT)
    received = [varied(rank, size, wrong, "recvbuf", lambda peer: peer + 1)] if rank == 0 else []
    return call("MPI_Gatherv", sent, *received, root=0)


def scatterv(rank: int, size: int, wrong: str) -> Call:
    received = buffer("recvbuf", rank + 1 + (wrong == "recvbuf count"), INT)
    if wrong == "recvbuf type":
        received = buffer("recvbuf", rank + 1, FLOAT)
    sent = [varied(rank, size, wrong, "sendbuf", lambda peer: peer + 1)] if rank == 0 else []
    return call("MPI_Scatterv", *sent, received, root=0)


def allgatherv(rank: int, size: int, wrong: str) -> Call:
    sent = buffer("sendbuf", rank + 1 + (wrong == "sendbuf count"), INT)
    if wrong == "sendbuf type":
        sent = buffer("sendbuf", rank + 1, FLOAT)
    return call("MPI_Allgatherv", sent, varied(rank, size, wrong, "recvbuf", lambda peer: peer + 1))


def alltoallv(name: str) -> Made:
    def made(rank: int, size: int, wrong: str) -> Call:
        return call(
            name,
            varied(rank, size, wrong, "sendbuf", lambda peer: rank + 2 * peer),
            varied(rank, size, wrong, "recvbuf", lambda peer: peer + 2 * rank),
        )

    return made


def reduce_scatter(rank: int, size: int, wrong: str) -> Call:
    counts = [2] * size
    if wrong == "counts":
        counts[0], counts[1] = 1, 3
    total = 2 * size
    sent = buffer("sendbuf", total + 1 if wrong == "sendbuf count" else total, INT)
    if wrong == "sendbuf type":
        sent = buffer("sendbuf", total, FLOAT)
    received = buffer("recvbuf", counts[rank], INT)
    op = OPS["MPI_MAX" if wrong == "op" else "MPI_SUM"]
    return call("MPI_Reduce_scatter", sent, received, op=op, counts=tuple(counts))


def scattered_in_place(name: str) -> Made:
    """A call with MPI_IN_PLACE, whose recvbuf contains the whole vector."""

    def made(rank: int, size: int, wrong: str) -> Call:
        found = reduce_scatter(rank, size, wrong)
        given = replace(found.buffers[0], role="recvbuf")
        counts = found.counts if name == "MPI_Reduce_scatter" else None
        return call(name, in_place("sendbuf"), given, op=found.op, counts=counts)

    return made


def of_root(name: str, root_has: str, others_have: str, both: str) -> Made:
    """MPI_Gather or MPI_Scatter, where the root passes two buffers."""

    def made(rank: int, size: int, wrong: str) -> Call:
        root = 1 if wrong == "root" else 0
        buffers = [described(rank, wrong, others_have)] if rank or both else []
        if rank == root:
            buffers.append(described(rank, wrong, root_has, size))
        return call(name, *buffers, root=root)

    return made


SENT, RECEIVED = ("sendbuf type", "sendbuf count"), ("recvbuf type", "recvbuf count")
SHARES = [f"{of} {peer} {how}" for of in ("sendbuf", "recvbuf") for peer in range(2)
          for how in ("type", "count")]  # fmt: skip
# For each operation: a function that makes the call, and the possible errors.
OPERATIONS: dict[str, tuple[Made, Sequence[str]]] = {
    "Bcast": (
        plain("MPI_Bcast", "buffer", root=0),
        ("buffer type", "buffer count", "root", "procedure", "form"),
    ),
    "Barrier": (plain("MPI_Barrier"), ("form",)),
    "Gather": (of_root("MPI_Gather", "recvbuf", "sendbuf", "both"), (*SENT, *RECEIVED, "root")),
    "Scatter": (of_root("MPI_Scatter", "sendbuf", "recvbuf", "both"), (*SENT, *RECEIVED, "root")),
    "Gatherv": (gatherv, (*SENT, *SHARES[4:])),
    "Scatterv": (scatterv, (*RECEIVED, *SHARES[:4])),
    "Allgather": (
        plain("MPI_Allgather", "sendbuf", "recvbuf*n"),
        (*SENT, *RECEIVED, "procedure", "form"),
    ),
    "Allgatherv": (allgatherv, (*SENT, *SHARES[4:])),
    "Alltoall": (plain("MPI_Alltoall", "sendbuf*n", "recvbuf*n"), (*SENT, *RECEIVED)),
    "Alltoallv": (alltoallv("MPI_Alltoallv"), SHARES),
    "Alltoallw": (alltoallv("MPI_Alltoallw"), SHARES),
    "Reduce": (
        plain("MPI_Reduce", "sendbuf", "recvbuf", root=0, op=1),
        (*SENT, "root", "op", "form"),
    ),
    "Allreduce": (plain("MPI_Allreduce", "sendbuf", "recvbuf", op=1), (*SENT, "op", "procedure")),
    "Scan": (plain("MPI_Scan", "sendbuf", "recvbuf", op=1), (*SENT, "op")),
    "Exscan": (plain("MPI_Exscan", "sendbuf", "recvbuf", op=1), (*SENT, "op")),
    "Reduce_scatter_block": (
        plain("MPI_Reduce_scatter_block", "sendbuf*n", "recvbuf", op=1),
        (*SENT, "op"),
    ),
    "Reduce_scatter": (reduce_scatter, (*SENT, "op", "counts")),
    "Reduce_scatter in place": (scattered_in_place("MPI_Reduce_scatter"), (*SENT, "op")),
    "Reduce_scatter_block in place": (scattered_in_place("MPI_Reduce_scatter_block"), SENT),
}


def loops(right: Call, wrong: Call | None) -> list[Run]:
    """A loop, in which one call in the middle may be wrong."""
    if wrong is None:
        return [(1, MANY, [right])]
    return [(1, 6, [right]), (7, 1, [wrong]), (8, MANY - 7, [right])]


def calling(make: Made, size: int, rank: int, wrong: str = "") -> Ended:
    other = make(rank, size, wrong) if wrong else None
    return Ended(rank, size).joins(*loops(make(rank, size, ""), other))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_collective_calls(operation: str) -> None:
    make, kinds = OPERATIONS[operation]
    for size in sizes():
        right = [calling(make, size, rank) for rank in range(size)]
        assert list(completed_collectives.check(World(processes(right)))) == []
        assert vanish(right)
        for kind in kinds:
            found_at_all = False
            for rank in range(size):
                wrong = [*right]
                wrong[rank] = calling(make, size, rank, kind)
                found = list(completed_collectives.check(World(processes(wrong))))
                found_at_all |= bool(found)
                if found:
                    assert not vanish(wrong), (size, kind, rank)
            assert found_at_all, (size, kind)


# Neighbors in a topology, and the data along each edge.


@dataclass
class Neighbor(Ended):
    """A process of a topology."""

    topology: str = ""

    def comm(self) -> Comm:
        if self.topology != "graph":
            made = replace(super().comm(), topology="cartesian", dims=(self.size,))
            periodic = int(self.topology == "ring")
            return replace(made, periods=(periodic,), coords=(self.rank,))
        made = replace(super().comm(), topology="distributed graph")
        sources, destinations = around(self.topology, self.rank, self.size)
        return replace(made, sources=tuple(sources), destinations=tuple(destinations))


def around(topology: str, rank: int, size: int) -> tuple[list[int], list[int]]:
    """The sources of a process, and its destinations; -1 for none."""
    before, behind = (rank - 1) % size, (rank + 1) % size
    if topology == "graph":
        # Itself, and two edges to one neighbor.
        return [rank, before, before], [behind, rank, behind]
    if topology == "line":
        before, behind = rank - 1, -1 if rank == size - 1 else rank + 1
    return [before, behind], [before, behind]


def neighbor(name: str, topology: str, rank: int, size: int, wrong: str, swapped: bool) -> Call:
    """A call in which the data along the last edge may be wrong."""
    sources, destinations = around(topology, rank, size)
    sent = [(rank + 1, INT) for _ in destinations]
    received = [(peer + 1, INT) for peer in sources]
    if name in ("MPI_Neighbor_alltoall", "MPI_Neighbor_allgather"):
        sent, received = [(2, INT) for _ in sent], [(2, INT) for _ in received]
    elif swapped:  # the data of two edges to one neighbor, in swapped order
        sent[0], received[2] = (4, CHAR), (4, CHAR)
    changed = sent if wrong.startswith("sendbuf") else received
    if wrong:
        count, _ = changed[-1]
        changed[-1] = (count + 1, INT) if wrong.endswith("count") else (count, FLOAT)
    if "allgather" in name:
        return call(name, buffer("sendbuf", *sent[-1]), shared("recvbuf", *received))
    return call(name, shared("sendbuf", *sent), shared("recvbuf", *received))


def among(
    name: str, topology: str, size: int, wrong: str = "", at: int = -1, swapped: bool = False
) -> list[Ended]:
    found: list[Ended] = []
    for rank in range(size):
        right = neighbor(name, topology, rank, size, "", swapped)
        other = neighbor(name, topology, rank, size, wrong, swapped) if rank == at else None
        found.append(Neighbor(rank, size, topology=topology).joins(*loops(right, other)))
    return found


@pytest.mark.parametrize("topology", ["ring", "line", "graph"])
@pytest.mark.parametrize("form", ["allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"])
def test_neighbors(topology: str, form: str) -> None:
    name = f"MPI_Neighbor_{form}"
    for size in sizes():
        right = among(name, topology, size)
        assert list(completed_collectives.check(World(processes(right)))) == []
        assert vanish(right)
        for wrong in (*SENT, *RECEIVED):
            found = 0
            for at in range(size):
                ended = among(name, topology, size, wrong, at)
                is_found = bool(list(completed_collectives.check(World(processes(ended)))))
                found += is_found
                assert not is_found or not vanish(ended), (size, wrong, at)
            # The last process of a line has no neighbor there.
            assert found >= size - 1, (size, wrong)


def test_edges_between_two_processes_match_in_any_order() -> None:
    for name in ("MPI_Neighbor_alltoallv", "MPI_Neighbor_alltoallw"):
        ended = among(name, "graph", 3, swapped=True)
        assert list(completed_collectives.check(World(processes(ended)))) == []
        assert vanish(ended)
        ended = among(name, "graph", 3, "recvbuf type", 1, swapped=True)
        assert list(completed_collectives.check(World(processes(ended))))
        assert not vanish(ended)


@pytest.mark.parametrize(
    ("procedure", "roles", "others"),
    [
        ("MPI_Allgather", ("sendbuf", "recvbuf*n"), {}),
        ("MPI_Alltoall", ("sendbuf*n", "recvbuf*n"), {}),
        ("MPI_Allreduce", ("sendbuf", "recvbuf"), {"op": 1}),
        ("MPI_Scan", ("sendbuf", "recvbuf"), {"op": 1}),
    ],
)
def test_in_place(procedure: str, roles: tuple[str, ...], others: dict[str, int]) -> None:
    make = plain(procedure, *roles, **others)
    for size in sizes():
        ended = []
        for rank in range(size):
            known = make(rank, size, "")
            own = call(procedure, in_place("sendbuf"), known.buffers[1], op=known.op)
            ended.append(Ended(rank, size).joins((1, 5, [own])))
        assert list(completed_collectives.check(World(processes(ended)))) == []
        assert vanish(ended)


def test_a_send_buffer_that_is_not_known_is_not_compared() -> None:
    """With MPI_IN_PLACE, the data to send is not a part of recvbuf that the records show."""
    sent = replace(buffer("sendbuf", 1, INT), datatype=None)
    ended = [
        Ended(rank, 2).joins(
            (1, 5, [call("MPI_Allgatherv", sent, shared("recvbuf", (1, kind), (1, INT)))])
        )
        for rank, kind in enumerate((INT, FLOAT))
    ]
    assert list(completed_collectives.check(World(processes(ended)))) == []


def test_a_call_that_is_missing() -> None:
    make = OPERATIONS["Barrier"][0]
    ended = [calling(make, 3, rank) for rank in range(3)]
    ended[1] = Ended(1, 3).joins((1, MANY - 1, [make(1, 3, "")]))
    assert not vanish(ended)


# Tests of point-to-point messages.


def message(size: int, tree: Datatype, procedure: str = "MPI_Send", line: int = 1) -> Call:
    role = "buf"
    return call(procedure, buffer(role, size, tree), line=line)


def runs_of(chance: random.Random, calls: Sequence[Call]) -> list[Run]:
    """The calls in order, divided into random stretches."""
    found: list[Run] = []
    position = 0
    while position < len(calls):
        for period in (1, 2, 3):
            length = 0
            while (
                position + length < len(calls)
                and calls[position + length] == calls[position + length % period]
            ):
                length += 1
            if length >= 2 * period and chance.random() < 0.7:
                break
        else:
            period = length = 1
        cycle = [calls[position + i % period] for i in range(min(period, length))]
        found.append((position + 1, length, cycle))
        position += length
    return found


def test_messages() -> None:
    chance = random.Random(3)
    wrong = 0
    for _ in range(100):
        kinds = [(chance.randint(0, 4), chance.choice((INT, DOUBLE, CHAR))) for _ in range(3)]
        pattern = [chance.choice(kinds) for _ in range(chance.randint(1, 3))]
        what = [pattern[i % len(pattern)] for i in range(chance.randint(1, 40))]
        other = list(what)
        change = chance.choice(("", "", "kind", "lost", "order"))
        at = chance.randrange(len(what))
        if change == "kind":
            other[at] = chance.choice(kinds)
        elif change == "lost":
            other.pop()
        elif change == "order":
            other.sort(key=lambda one: (one[0], one[1].name))
        sent = [message(size, tree) for size, tree in what]
        received = [message(size, tree, "MPI_Recv") for size, tree in other]
        sender = Ended(0, 2).sends(1, 5, *runs_of(chance, sent))
        receiver = Ended(1, 2)
        if received:
            receiver.receives(0, 5, *runs_of(chance, received))
        ended = [sender, receiver]
        found = list(completed_messages.check(World(processes(ended))))
        elements = [size and (size, tree.name) for size, tree in what]
        same = elements == [size and (size, tree.name) for size, tree in other]
        assert vanish(ended) == same
        assert same or found or len(what) == len(other)
        wrong += bool(found)
    assert wrong > 15


def test_what_the_sums_see_of_messages() -> None:
    sent = Ended(0, 2).sends(1, 5, (1, MANY, [message(0, INT)]))
    assert not vanish([sent, Ended(1, 2)])  # the messages are empty, and not received
    again = Ended(1, 2).receives(0, 5, (1, MANY, [message(0, DOUBLE, "MPI_Recv")]))
    assert vanish([sent, again])  # without elements, all types are equal
    other = Ended(1, 2).receives(0, 6, (1, MANY, [message(0, INT, "MPI_Recv")]))
    assert not vanish([sent, other])
    itself = Ended(0, 1).sends(0, 5, (1, 9, [message(2, INT)]))
    itself.receives(0, 5, (1, 9, [message(1, contiguous(2, INT), "MPI_Recv")]))
    assert vanish([itself])
