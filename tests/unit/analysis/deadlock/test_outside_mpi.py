# SPDX-License-Identifier: MIT
"""The reports on processes outside MPI, which may continue or not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mpipp.analysis.deadlock.analysis import explain
from mpipp.analysis.deadlock_text import json_output
from mpipp.analysis.deadlock_text.report import Report
from mpipp.model import Call
from tests.unit.jobs import WINDOW, Places, Recorded, call, job, ranks


def beside(recorded: Recorded) -> list[str]:
    """The report on a process and on another process that waits for it."""
    waiting = Recorded(1, 2).posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    return list(Report(explain(job(recorded, waiting)), Places()).lines())


def of_request(made: Call, *others: Call) -> Recorded:
    (one,) = ranks(2)[:1]
    waits = "MPI_Waitall" if others else "MPI_Wait"
    return one.pending(made, *others).inside(call(waits, requests=1 + len(others)))


WAITS = [
    "  rank 1 waits in MPI_Recv(source 0, tag 5), called at x.c:1 in main",
    "    for rank 0",
]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("MPI_Comm_join", "the process at the other end of the socket is not recorded"),
        (
            "MPI_Buffer_detach",
            "the wrapper does not record which buffered messages have been received",
        ),
        (
            "MPI_Session_finalize",
            "the processes that MPI_Session_finalize waits for are not recorded",
        ),
    ],
)
def test_calls_without_a_peer(name: str, reason: str) -> None:
    assert beside(ranks(2)[0].inside(call(name, comm=None))) == [
        "unknown: rank 0 may still continue",
        f"  rank 0 is in {name}, called at x.c:1 in main",
        f"    {reason}",
        *WAITS,
    ]


@pytest.mark.parametrize(
    "name",
    "Win_flush Win_flush_local_all Win_unlock Win_unlock_all Put Win_set_info".split(),
)
def test_calls_on_windows(name: str) -> None:
    one = ranks(2)[0].has_window("lock").inside(call(f"MPI_{name}", win=WINDOW))
    assert beside(one) == [
        "unknown: rank 0 may still continue",
        f"  rank 0 is in MPI_{name}(a window), called at x.c:1 in main",
        f"    the processes that MPI_{name} waits for are not recorded",
        *WAITS,
    ]


def test_requests() -> None:
    assert beside(of_request(call("MPI_Grequest_start", comm=None))) == [
        "unknown: rank 0 may still continue",
        "  rank 0 is in MPI_Wait, called at x.c:1 in main",
        "    for MPI_Grequest_start, called at x.c:1 in main: the program itself completes it",
        *WAITS,
    ]
    gets = [call("MPI_Rget", win=WINDOW, target=rank) for rank in range(6)]
    one = of_request(*gets)
    assert beside(one.has_window("lock_all")) == [
        "unknown: rank 0 may still continue",
        "  rank 0 is in MPI_Waitall(6 requests), called at x.c:1 in main",
        *(
            f"    for MPI_Rget(rank {rank}, a window), called at x.c:1 in main: "
            "progress at the target is not recorded"
            for rank in range(4)
        ),
        "    and 2 more",
        *WAITS,
    ]


@pytest.mark.parametrize(
    "name", ["MPI_Comm_group", "MPI_Type_commit", "MPI_Win_post", "MPI_Info_create"]
)
def test_calls_that_never_wait(name: str) -> None:
    win = WINDOW if "Win" in name else None
    one = ranks(2)[0].has_window().inside(call(name, win=win))
    assert beside(one)[0] == "still moving: every wait can still be satisfied"


def test_calls_of_which_nothing_is_recorded() -> None:
    one = ranks(2)[0]
    one.marked = "MPI_Buffer_flush"
    assert beside(one)[:3] == [
        "unknown: rank 0 may still continue",
        "  rank 0 is in MPI_Buffer_flush, called at x.c:1 in main",
        "    the wrapper does not record which buffered messages have been received",
    ]
    one.marked = "MPI_Get_processor_name"
    assert beside(one)[:2] == [
        "still moving: every wait can still be satisfied",
        "  rank 0 is in MPI_Get_processor_name, called at x.c:1 in main",
    ]
    one.marked = "MPI_Recv"  # the previous call, which has a record
    assert beside(one)[1] == "  rank 0 is not in MPI (computing at x.c:2 in work)"


def test_another_thread_may_move_it_on() -> None:
    one = ranks(2)[0].inside(call("MPI_Comm_join", comm=None))
    one.several_threads = True
    assert beside(one)[0].startswith("unknown: ")
    one.outside = 1
    assert beside(one)[0].startswith("still moving: ")
    one.outside = 0
    one.inside(call("MPI_Comm_group"))
    assert beside(one)[0].startswith("still moving: ")


def test_beside_a_deadlock() -> None:
    three: Sequence[Recorded] = ranks(3)
    for one in three[:2]:
        one.posted(1 - one.rank, 5).inside(call("MPI_Recv", source=1 - one.rank, tag=5))
    three[2].inside(call("MPI_Comm_join", comm=None))
    assert list(Report(explain(job(*three)), Places()).lines())[-3:] == [
        "the others:",
        "  rank 2 is in MPI_Comm_join, called at x.c:1 in main",
        "    the process at the other end of the socket is not recorded",
    ]


def test_document() -> None:
    document = json_output.record(explain(job(ranks(1)[0].inside(call("MPI_Comm_join")))), Places())
    (wait,) = document["processes"][0]["calls"]
    assert wait["waits_for"] == []
    assert wait["not_told"] == ["the process at the other end of the socket is not recorded"]


def test_threads_outside() -> None:
    """Two processes wait for each other. A thread outside MPI may still send, so this is not
    certainly a deadlock."""
    both = ranks(2)
    for one in both:
        one.several_threads, one.outside = True, 1
        one.posted(1 - one.rank, 5).inside(call("MPI_Recv", source=1 - one.rank, tag=5))
    found = explain(job(*both))
    assert (found.knots, found.unknown_ranks) == ((), [0, 1])
    lines = list(Report(found, Places()).lines())
    assert lines[0] == "unknown: ranks 0 and 1 may still continue"
    assert lines.count("    another thread is not in MPI (computing at x.c:2 in work)") == 2, lines
    both[0].outside = 0  # now it waits for a process with a thread outside MPI
    assert explain(job(*both)).unknown_ranks == [0, 1]


def test_each_reason_once() -> None:
    puts = [call("MPI_Rput", win=WINDOW) for _ in range(3)]
    found = explain(job(of_request(*puts), ranks(2)[1]))
    (wait,) = json_output.record(found, Places())["processes"][0]["calls"]
    assert len(wait["not_told"]) == 1, wait
    gets = [call("MPI_Rget", win=WINDOW, target=rank) for rank in range(99)]
    found = explain(job(of_request(*gets).has_window("lock_all"), ranks(2)[1]))
    (wait,) = json_output.record(found, Places())["processes"][0]["calls"]
    assert len(wait["not_told"]) == 64
