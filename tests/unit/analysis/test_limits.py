# SPDX-License-Identifier: MIT
"""Limits of checks: each omission is reported once, and the rest is still checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from mpipp.analysis.calls import handles, reduction_ops
from mpipp.analysis.collectives import active, buffer_pairs, comm_order
from mpipp.analysis.collectives import completed as completed_collectives
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.messages import completed as completed_messages
from mpipp.analysis.messages.match_by_ordinal import MOST_TURNS
from mpipp.common.errors import MpippError
from mpipp.datatypes.signatures import runlength
from mpipp.model import Call, Channel, Object, ProcessInfo, Request, ReturnedCode
from mpipp.typetree import Datatype
from tests.unit.jobs import WORLD, Recorded, job
from tests.unit.ledgers import OPS, Ended, Run, buffer, call, processes, shared
from tests.unit.samples import DOUBLE, FLOAT, INT, contiguous, struct

TYPES = (
    "the types sent and received do not match, at the first element: "
    "MPI_INT is sent, MPI_FLOAT received"
)
CIRCLE = (
    'the order of collective calls differs between communicator "MPI_COMM_WORLD" and '
    'communicator "other", which is a deadlock if they synchronize'
)
OTHER = 7  # handle and identity of a communicator


def all_of(found: Iterator[Finding]) -> tuple[list[str], str]:
    """The findings, and the sentence about unchecked things."""
    said = []
    try:
        for one in found:
            said.append(one.what.text)
    except MpippError as error:
        return said, str(error)
    return said, ""


def exchange(procedure: str, size: int, ordinal: int | None = None) -> Call:
    both = [buffer(role, 1, INT, size) for role in ("sendbuf", "recvbuf")]
    return call(procedure, *both, comm=WORLD, ordinal=ordinal, frame=ordinal or 0)


def bcast(tree: Datatype, ordinal: int | None = None) -> Call:
    return call("MPI_Ibcast", buffer("buffer", 1, tree), root=0, comm=WORLD, ordinal=ordinal)


def test_pairs_of_an_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    assert buffer_pairs.MOST_PAIRS == 100_000
    monkeypatch.setattr(buffer_pairs, "MOST_PAIRS", 8)
    size = 3
    many = [
        Recorded(rank, size).pending(
            exchange("MPI_Ialltoall", size, 1),
            bcast(FLOAT if rank == 1 else INT, 2),
            exchange("MPI_Ialltoallv", size, 3),
        )
        for rank in range(size)
    ]
    assert all_of(active.check(job(*many))) == (
        [TYPES],
        "only 8 pairs of buffers of MPI_Ialltoall were compared; "
        "only 8 pairs of buffers of MPI_Ialltoallv were compared",
    )
    monkeypatch.setattr(buffer_pairs, "MOST_PAIRS", 9)
    assert all_of(active.check(job(*many))) == ([TYPES], "")


def test_pairs_of_exchanges_that_are_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer_pairs, "MOST_PAIRS", 8)
    ended = []
    for rank in range(3):
        wrong = bcast(FLOAT if rank == 1 else INT)
        runs: list[Run] = [(1, 6, [exchange("MPI_Alltoall", 3)]), (7, 1, [wrong])]
        ended.append(Ended(rank, 3).joins(*runs, (8, 2, [exchange("MPI_Alltoall", 3)])))
    assert all_of(completed_collectives.check(World(processes(ended)))) == (
        [TYPES],
        "only 8 pairs of buffers of MPI_Alltoall were compared",
    )


def test_messages_that_repeat() -> None:
    # The periods are coprime, so after their product of messages all pairs have occurred.
    periods = 64, 65
    assert periods[0] * periods[1] > MOST_TURNS
    kinds = [INT, DOUBLE] * 32, [DOUBLE, INT] * 32 + [DOUBLE]
    for count, left_out in ((MOST_TURNS, False), (10**6, True)):
        sender, receiver = (
            [call("MPI_Send", buffer("buf", 0, tree), line=i) for i, tree in enumerate(trees)]
            for trees in kinds
        )
        ended = [
            Ended(0, 2).sends(1, 5, (1, count, sender)),
            Ended(1, 2).receives(0, 5, (1, count, receiver)),
        ]
        sentence = f"only {MOST_TURNS} combinations of repeated messages were compared"
        said = all_of(completed_messages.check(World(processes(ended))))
        assert said == ([], sentence if left_out else "")


def test_turns_of_communicators(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(rank: int) -> Ended:
        one = Ended(rank, 2).joins((1, 9, [call("MPI_Barrier")]))
        return one.turns((1, 3, [call("MPI_Barrier", root=1, tag=3)]))

    world = World(processes([ended(rank) for rank in range(2)]))
    assert all_of(comm_order.check(world)) == ([], "")
    monkeypatch.setattr(comm_order, "MOST", 4)  # two for each process
    assert all_of(comm_order.check(world)) == (
        [],
        "only 4 changes of communicator were checked in the order of collective calls",
    )


def test_an_exchange_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    # A buffer and its content are computed once, not for each overlapping buffer.
    size, worked_out = 40, {"signatures": 0, "places": 0, "exchanges": 0}
    normal, place, check = runlength._normal, Recorded.constant_name, buffer_pairs.check

    def counted(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def one(*arguments: Any) -> Any:
            worked_out[what] += 1
            return function(*arguments)

        return one

    monkeypatch.setattr(runlength, "_normal", counted("signatures", normal))
    monkeypatch.setattr(Recorded, "constant_name", counted("places", place))
    monkeypatch.setattr(buffer_pairs, "check", counted("exchanges", check))
    triple = contiguous(3, INT)
    counts = [2 + rank % 5 for rank in range(size)]
    many = []
    for rank in range(size):
        sent = shared("sendbuf", *[(counts[rank], triple)] * size)
        received = shared("recvbuf", *[(count, triple) for count in counts])
        made = call("MPI_Ialltoallv", sent, received, comm=WORLD, ordinal=1)
        many.append(Recorded(rank, size).pending(made))
    known = job(*many)
    assert all_of(active.check(known)) == ([], "")
    assert active.reported_operations(known) == set()
    assert worked_out["signatures"] < 20
    assert worked_out["places"] <= 4 * size
    assert worked_out["exchanges"] == 1


def test_collective_calls_that_repeat() -> None:
    # The same number of broadcasts as above, but without elements and with other types in every
    # call.
    trees = [INT, DOUBLE] * 33
    for count, left_out in ((MOST_TURNS, False), (10**6, True)):
        ended = []
        for rank, period in ((0, 64), (1, 65)):
            calls = [
                call("MPI_Bcast", buffer("buffer", 0, tree), root=0, line=i)
                for i, tree in enumerate(trees[:period])
            ]
            ended.append(Ended(rank, 2).joins((1, count, calls)))
        sentence = f"only {MOST_TURNS} combinations of repeated collective calls were compared"
        said = all_of(completed_collectives.check(World(processes(ended))))
        assert said == ([], sentence if left_out else "")


@dataclass
class Two(Ended):
    """A process that alternates between MPI_COMM_WORLD and another communicator."""

    other: list[Channel] = field(default_factory=list)

    def objects(self, kind: str, ended: bool = False) -> Iterator[Object]:
        """Yield the objects of the superclass, and a second communicator."""
        yield from super().objects(kind, ended)
        if kind == "comm":
            world = self.comm()
            header = world.header._replace(handle=OTHER, name="other")
            yield replace(world, header=header, identity=OTHER, channels=self.other)

    def crosses(self, times: int) -> Two:
        """A process that first calls on the communicator of its rank, then on the other."""
        first, second = (WORLD, OTHER) if self.rank == 0 else (OTHER, WORLD)
        one = (1, times, [call("MPI_Bcast", root=0)])
        self._add("collectives", -1, OTHER, [one])
        self.other.append(self.channels.pop())
        self.joins(one)
        both = [call("MPI_Bcast", root=on, tag=1, line=on) for on in (first, second)]
        self.turns((1, 2 * times, both))
        return self


def test_circles_of_collective_calls() -> None:
    for times, left_out in ((63, False), (64, False), (65, True)):
        known = World(processes([Two(rank, 2).crosses(times) for rank in range(2)]))
        found, said = all_of(comm_order.check(known))
        assert found == [CIRCLE] * min(times, 64)
        sentence = "the search stopped after 64 cycles of collective calls"
        assert said == (sentence if left_out else "")


class Going(Ended):
    """A process with pending operations."""

    def pending_requests(self) -> Iterator[Request]:
        """The active requests."""
        return iter(self.requests)


def test_components_of_a_datatype(monkeypatch: pytest.MonkeyPatch) -> None:
    assert reduction_ops._MOST_DATATYPES == 10_000
    monkeypatch.setattr(reduction_ops, "_MOST_DATATYPES", 8)
    integers = [contiguous(number, INT) for number in range(1, 9)]
    for last, left_out in ((5, False), (8, True)):
        # The integers, the struct and MPI_INT.
        tree = struct(*[(1, 64 * i, each) for i, each in enumerate(integers[:last])])
        buffers = [buffer(role, 1, tree) for role in ("origin_addr", "target_addr")]
        made = call("MPI_Raccumulate", *buffers, op=OPS["MPI_SUM"])
        (process,) = job(Going(0, 1).pending(made)).processes
        sentence = "only 8 components of an accumulated datatype were checked"
        assert all_of(reduction_ops.check(process)) == ([], sentence if left_out else "")


class Waiting(Recorded):
    """A process that waits for one request whose handle fills the array."""

    def passed_handles(self, of: Call, most: int) -> list[int]:
        """Return the first handles in the array."""
        return [1] * min(of.request_count, most)

    def passed_requests(self, of: Call, most: int) -> list[tuple[Request, ...]]:
        """Return no request for each handle."""
        return [()] * min(of.request_count, most)

    def stale_requests(self, of: Call, most: int) -> Iterator[tuple[int, Request]]:
        """Yield no request: no request is stale."""
        return iter(())


def test_requests_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    assert handles._MOST_REQUESTS == 65_536
    monkeypatch.setattr(handles, "_MOST_REQUESTS", 4)
    for count, left_out in ((4, False), (5, True)):
        made = replace(call("MPI_Waitall", requests=0x5000), request_count=count)
        (process,) = job(Waiting(0, 1).inside(made)).processes
        sentence = "only the first 4 requests of MPI_Waitall were checked"
        assert all_of(handles.check(process)) == ([], sentence if left_out else "")


class Wrong(Waiting):
    """A process whose request handles contain bits for another kind of object."""

    @property
    def info(self) -> ProcessInfo:
        """The process, with one bit of a handle for its kind."""
        return replace(super().info, kind_bits=1)

    def returned_codes(self) -> Iterator[ReturnedCode]:
        """Yield nothing: these tests have no returned codes."""
        return iter(())

    def record_count(self, kind: str) -> int:
        """Return more objects than mpipp searches for one that was freed."""
        return 1 << 30


def test_wrong_requests_of_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    assert handles._MOST_WRONG == 1000
    monkeypatch.setattr(handles, "_MOST_WRONG", 4)
    for count, left_out in ((4, False), (5, True)):
        made = replace(call("MPI_Waitall", requests=0x5000), request_count=count)
        (process,) = job(Wrong(0, 1).inside(made)).processes
        found, sentence = all_of(handles.check(process))
        assert len(found) == 4
        assert sentence == "only the first 4 wrong requests of MPI_Waitall are reported" * left_out
