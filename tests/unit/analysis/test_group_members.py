# SPDX-License-Identifier: MIT
"""Groups from which processes create communicators, as far as they are known."""

from __future__ import annotations

from dataclasses import replace

from mpipp.analysis.collectives import active
from mpipp.analysis.context.collective_call import CollectiveCall
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member
from mpipp.model import Call, Comm
from tests.unit.ledgers import Ended, call

BOTH, ONE = 5 << 24 | 2, 7 << 24 | 1  # a hash, and the number of members


def found(*calls: Call, half: int = 0) -> list[str]:
    """The findings. `half` is the size of an intercommunicator's groups."""
    joined = []
    for rank, one in enumerate(calls):
        process = Ended(rank, len(calls)).process()
        (comm,) = process.registry.objects("comm")
        assert isinstance(comm, Comm)
        if half:
            own = range(half) if rank < half else range(half, 2 * half)
            comm = replace(comm, inter=True, size=half, remote_size=half, world_ranks=own)
        member = Member(process, comm)
        joined.append(CollectiveCall(Operation(process, one, None, None, member.comm), member))
    return [finding.what.text for finding in active.compare(joined)]


def created(members: int, state: str = "over") -> Call:
    arguments = {"members": members} if state == "over" else {"group": 3}
    return call("MPI_Comm_create", arguments=arguments, state=state)


def test_different_groups() -> None:
    assert found(created(BOTH), created(ONE)) == ["the processes pass different groups"]
    assert found(created(BOTH), created(BOTH)) == []


def test_groups_of_an_intercommunicator() -> None:
    alike = created(BOTH), created(BOTH), created(ONE), created(0)
    assert found(*alike, half=2) == []
    differ = created(BOTH), created(ONE), created(BOTH), created(BOTH)
    assert found(*differ, half=2) == ["the processes pass different groups"]


def test_nothing_is_said_while_one_is_in_its_call() -> None:
    assert found(created(BOTH), created(BOTH, "active")) == []
