# SPDX-License-Identifier: MIT
"""Find the cause among processes that died at the same time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from mpipp.watcher.processes.abnormal_exit import causes, causes_too, least_doubt
from mpipp.watcher.processes.exit_status import Ending
from mpipp.watcher.processes.process import GONE, WatchedProcess


def dead(rank: int, *inside: str, by: Ending | None = None) -> WatchedProcess:
    """A process that died in these calls. `by` is the way of its end; None if unknown."""
    registry = SimpleNamespace(info=SimpleNamespace(world_rank=rank))
    return cast(
        WatchedProcess,
        SimpleNamespace(
            pid=rank,
            state=GONE,
            end=0,
            ended_at=0.0,
            registry=registry,
            inside=lambda: [*inside],
            ending=lambda: by,
        ),
    )


@pytest.mark.parametrize(
    ("first", "others", "expected"),
    [
        ([(1, "MPI_Recv")], [(0, "MPI_Bsend")], [0]),  # MPI ended rank 0
        ([(1, "MPI_Init")], [(0, "MPI_Bsend")], [0]),
        ([(2, "MPI_Init")], [(1, "MPI_Recv")], [1]),
        ([(0, "MPI_Init"), (1, "MPI_Gather")], [], [1]),
        ([(0, "MPI_Init"), (1,)], [], [1]),  # outside MPI
        ([(0, "MPI_Recv"), (1, "MPI_Recv")], [], [0, 1]),
        ([(1, "MPI_Recv")], [(0,)], [1]),  # the launcher ended rank 0, which was computing
        ([(1, "MPI_Bcast")], [(0, "MPI_Gather")], [1]),
        ([(1, "MPI_Win_create")], [(0, "MPI_Put")], [0]),
        ([(1, "MPI_Win_fence")], [(0, "MPI_Ibcast")], [0]),
        ([(1, "MPI_Win_lock")], [(0, "MPI_Win_free")], [0]),
        ([(1, "MPI_Barrier")], [(0, "MPI_Comm_dup")], [0]),
        ([(1, "MPI_Finalize")], [(0,)], [1]),
        # The call is too short to be interrupted by chance.
        ([(1, "MPI_Barrier")], [(0, "MPI_Comm_rank")], [0]),
        # A crash in a collective call, while others wait or poll.
        *(
            ([(1, "MPI_Allreduce")], [(0, name)], [1])
            for name in (
                *("MPI_Sendrecv", "MPI_Test", "MPI_Iprobe", "MPI_Recv_c"),
                *("MPI_Win_flush_local", "MPI_Waitall", "MPI_Allreduce_c"),
            )
        ),
    ],
)
def test_causes(
    first: list[tuple[int, str]], others: list[tuple[int, str]], expected: list[int]
) -> None:
    found = causes([dead(*one) for one in first], [dead(*one) for one in others])
    assert [one.registry.info.world_rank for one in found] == expected


SEGV, ABRT, TERM, KILL = (Ending(number, 0) for number in (11, 6, 15, 9))
EXIT = Ending(0, 1)


@pytest.mark.parametrize(
    ("endings", "expected"),
    [
        ((TERM, SEGV), [1]),  # although rank 0 was noticed first, in a call with a reported error
        ((SEGV, KILL), [0]),
        ((SEGV, SEGV), [0, 1]),
        ((ABRT, SEGV), [1]),  # a process that loses its peer may abort
        ((ABRT, TERM), [0]),
        ((EXIT, KILL), [0]),
        ((KILL, EXIT), [0]),  # rank 1 exits in a handler of the launcher's signal
        ((KILL, KILL), [0]),  # MPI made the launcher kill both after a failed call
        ((None, SEGV), [1]),
        ((None, EXIT), [0]),
    ],
)
def test_what_launchers_end_is_no_cause(
    endings: tuple[Ending | None, Ending], expected: list[int]
) -> None:
    first, other = dead(0, "MPI_Recv", by=endings[0]), dead(1, by=endings[1])
    found = causes([first], [other], lambda one: one is first)
    assert [one.registry.info.world_rank for one in found] == expected
    assert causes_too([first], [other], lambda one: one is first) == found
    is_certain = {SEGV, ABRT}.intersection(endings)
    assert (least_doubt(found, False, lambda one: False) == -1) == bool(is_certain)


def test_an_error_was_told_of_one() -> None:
    first, other = dead(0, "MPI_Bcast"), dead(1, "MPI_Bcast")
    assert causes([first], [other], lambda one: one is other) == [other]


def test_an_error_was_told_of_several() -> None:
    """The launcher ended the process whose death is noticed first."""
    first, other, third = dead(1, "MPI_Bcast"), dead(0, "MPI_Bcast"), dead(2, "MPI_Bcast")
    assert causes([first], [other, third], lambda one: one is not third) == [other, first]


@pytest.mark.parametrize(
    ("ended", "expected", "doubt"),
    [
        ([(0, "MPI_Barrier")], 0, 4),
        ([(0,)], 0, 2),  # likelier the cause than a process that waits on another node
        ([(0,), (1, "MPI_Info_get")], 1, 1),
        ([(0,), (1, "MPI_Recv")], 0, 2),
        ([(0, "MPI_Recv"), (1,)], 0, 4),  # the launcher ended rank 1, which was not noticed first
    ],
)
def test_causes_of_a_node_that_is_not_the_first(
    ended: list[tuple[int, str]], expected: int, doubt: int
) -> None:
    first, *others = (dead(*one) for one in ended)
    found = causes_too([first], others)
    assert [one.registry.info.world_rank for one in found] == [expected]
    assert least_doubt(found, False, lambda one: False) == doubt
