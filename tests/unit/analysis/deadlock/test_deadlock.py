# SPDX-License-Identifier: MIT
"""Explanations of hangs, for hand-made records."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

import pytest

from mpipp.analysis import deadlock_check
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock import before_init, wait_graph
from mpipp.analysis.deadlock.analysis import explain
from mpipp.analysis.deadlock_text import json_output, wait_diagram
from mpipp.analysis.deadlock_text.report import Report
from mpipp.analysis.deadlock_text.wait_diagram_svg import svg
from mpipp.common.text import wording
from mpipp.model import Channel
from tests.unit.jobs import (
    ANY_SOURCE,
    ANY_TAG,
    PROC_NULL,
    WINDOW,
    Places,
    Recorded,
    call,
    job,
    ranks,
)


def told(processes: Sequence[Recorded]) -> list[str]:
    return list(Report(explain(job(*processes)), Places()).lines())


def stuck(processes: Sequence[Recorded]) -> list[int]:
    return sorted(explain(job(*processes)).stuck)


def two_receives() -> Sequence[Recorded]:
    a, b = ranks(2)
    a.posted(1, 5).inside(call("MPI_Recv", source=1, tag=5))
    b.posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    return a, b


def test_two_receives() -> None:
    assert told(two_receives()) == [
        "deadlock: rank 0 and rank 1 wait for each other",
        "  rank 0 waits in MPI_Recv(source 1, tag 5), called at x.c:1 in main",
        "    rank 1 has no such send pending",
        "  rank 1 waits in MPI_Recv(source 0, tag 5), called at x.c:1 in main",
        "    rank 0 has no such send pending",
        "",
    ]


def test_who_has_no_rank_yet() -> None:
    all_of_it = ranks(4)
    for one in all_of_it[:2]:
        one.in_world = False
    all_of_it[0].inside(call("MPI_Init"))
    known = [Process(number, one, one, None) for number, one in enumerate(all_of_it)]  # type: ignore[arg-type]
    (world,) = worlds(known)  # the other processes still form one world
    assert world.processes == known[2:]
    others = before_init.unranked(known)
    assert list(before_init.lines(others, Places())) == [
        "unknown: process 100 and process 101 may still continue, but no ranks are known",
        "  process 100 is in MPI_Init, called at x.c:1 in main",
        "  process 101 is not in MPI (computing at x.c:2 in work)",
    ]
    assert before_init.records(others[:1], Places()) == [
        {"pid": 100, "where": "in MPI_Init, called at x.c:1 in main"}
    ]
    assert list(before_init.lines([], Places())) == []


def test_a_message_that_is_there() -> None:
    a, b = two_receives()
    b.sent(0, 5)
    assert stuck((a, b)) == []
    assert told((a, b))[0] == "still moving: every wait can still be satisfied"


def test_the_second_of_two_messages() -> None:
    a, b = ranks(2)
    a.posted(1, 5, 2).inside(call("MPI_Recv", source=1, tag=5, ordinal=2))
    b.sent(0, 5, 1).inside(call("MPI_Finalize"))
    assert stuck((a, b)) == [0]


def test_what_is_not_certain_may_go_on() -> None:
    a, b = two_receives()
    a.calls[0] = call("MPI_Recv", source=1, tag=5, ordinal=None)
    b.sent(0, 5)
    a.frozen, a.channels = True, [Channel("receives", 1, 5, 0, True, 1)]
    assert stuck((a, b)) == []


def test_a_process_that_is_not_here_may_go_on() -> None:
    a, _ = two_receives()
    assert stuck((a,)) == []
    assert told((a,)) == [
        "unknown: rank 0 may still continue",
        "  rank 0 waits in MPI_Recv(source 1, tag 5), called at x.c:1 in main",
        "    for rank 1",
        "incomplete: rank 1 is missing",
    ]


def test_nobody() -> None:
    receiver = Recorded(0, 1).inside(call("MPI_Recv", source=PROC_NULL, tag=5))
    assert stuck((receiver,)) == []
    sender = Recorded(0, 1).inside(call("MPI_Ssend", dest=PROC_NULL, tag=5))
    assert stuck((sender,)) == []


def test_another_thread_may_help() -> None:
    a, b = two_receives()
    a.several_threads = True
    assert told((a, b))[0].startswith("possible deadlock: ")
    assert list(deadlock_check.check(job(a, b))) == []
    a.outside = 1
    assert stuck((a, b)) == []


@pytest.mark.parametrize(
    ("procedure", "left"), [("MPI_Ssend", [0, 1]), ("MPI_Send", [0, 1]), ("MPI_Bsend", [])]
)
def test_modes_of_sends(procedure: str, left: list[int]) -> None:
    pair = ranks(2)
    for one in pair:
        one.sent(1 - one.rank, 5).inside(call(procedure, dest=1 - one.rank, tag=5))
    assert stuck(pair) == left
    lenient = procedure == "MPI_Send"
    assert [knot.lenient for knot in explain(job(*pair)).knots] == ([lenient] if left else [])
    told = {"MPI_Ssend": ["deadlock"], "MPI_Send": ["unsafe-deadlock"], "MPI_Bsend": []}
    assert [one.rule.id for one in deadlock_check.check(job(*pair))] == told[procedure]


def test_one_of_several_sources() -> None:
    a, b, c = ranks(3)
    for one in (a, b):
        one.posted_any = 1
        one.inside(call("MPI_Recv", source=ANY_SOURCE, tag=ANY_TAG))
    assert stuck((a, b, c)) == []  # rank 2 is outside MPI, and may still send
    c.inside(call("MPI_Finalize"))
    assert stuck((a, b, c)) == [0, 1]


def test_what_any_waits_for_is_a_finding() -> None:
    a, b = ranks(2)
    a.posted_any = 1
    a.inside(call("MPI_Recv", source=ANY_SOURCE, tag=ANY_TAG))
    b.posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    (found,) = deadlock_check.check(job(a, b))
    assert found.what.text == "ranks 0 and 1 wait for each other"


def test_callbacks_in_finalize() -> None:
    a, b = two_receives()
    b.calls.clear()
    b.inside(call("MPI_Finalize"))
    assert stuck((a, b)) == [0]
    b.end_awaited = True  # callbacks of MPI_Finalize may still send
    assert stuck((a, b)) == []


@pytest.mark.parametrize("epochs", [(), ("start",)])
@pytest.mark.parametrize(("completes", "left"), [(0, [0, 1]), (1, [])])
def test_exposure_epochs(epochs: Sequence[str], completes: int, left: list[int]) -> None:
    # Rank 1 may start its next access epoch before rank 0 has returned from MPI_Win_wait.
    a, b = ranks(2)
    a.has_window("post").inside(call("MPI_Win_wait", win=WINDOW))
    b.has_window(*epochs, completes=completes)
    b.posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    assert stuck((a, b)) == left


@pytest.mark.parametrize(("epochs", "rule"), [(("fence",), "deadlock"), ((), "unsafe-deadlock")])
def test_fences(epochs: Sequence[str], rule: str) -> None:
    a, b = ranks(2)
    a.has_window(*epochs, fences=2).inside(call("MPI_Win_fence", win=WINDOW))
    b.has_window(*epochs, fences=1)
    b.posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    assert stuck((a, b)) == [0, 1]
    assert [one.rule.id for one in deadlock_check.check(job(a, b))] == [rule]


def test_one_or_all_of_several_requests() -> None:
    def waiting(procedure: str) -> Sequence[Recorded]:
        a, b, c = ranks(3)
        a.posted(1, 5).posted(2, 5)
        a.pending(*(call("MPI_Irecv", source=source, tag=5) for source in (1, 2)))
        a.inside(call(procedure, requests=2))
        b.posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
        return a, b, c

    assert stuck(waiting("MPI_Waitany")) == []
    assert stuck(waiting("MPI_Waitall")) == [0, 1]


def test_receives_of_any_that_took_all() -> None:
    a, b = ranks(2)
    b.sent(0, 3, 4).posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    a.frozen, a.posted_any = True, 5  # four receives have taken the four messages
    a.pending(call("MPI_Irecv", source=ANY_SOURCE, tag=ANY_TAG, ordinal=None))
    a.inside(call("MPI_Wait", requests=1))
    assert stuck((a, b)) == [0, 1]
    a.posted_any = 4
    assert stuck((a, b)) == []


def test_collective_calls() -> None:
    a, b, c = ranks(3)
    for one in (a, b):
        one.joined(2).inside(call("MPI_Barrier", ordinal=2))
    c.joined(1).posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    assert told((a, b, c))[0] == "deadlock: rank 0 and rank 2 wait for each other"
    assert told((a, b, c))[3:7] == [
        "  rank 2 waits in MPI_Recv(source 0, tag 5), called at x.c:1 in main",
        "    rank 0 has no such send pending",
        "  rank 1 waits for them:",
        "    rank 1 in MPI_Barrier, called at x.c:1 in main",
    ]


def test_calls_whose_names_begin_as_those_of_nonblocking_ones() -> None:
    a, b, c = ranks(3)
    for one in (a, b):
        one.joined(2).inside(call("MPI_Intercomm_merge", ordinal=2))
    c.joined(1).posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    assert told((a, b, c))[0] == "deadlock: rank 0 and rank 2 wait for each other"


def test_different_collective_calls_meet() -> None:
    a, b = ranks(2)
    a.joined(1).inside(call("MPI_Barrier"))
    b.joined(1).inside(call("MPI_Bcast", root=0))
    assert told((a, b))[0] == "mismatch: ranks 0 and 1 are in different collective operations"


def test_calls_that_meet_another_job() -> None:
    # The state of the other job is unknown. But rank 1 of this job has not made the call.
    a, b = ranks(2)
    a.joined(1).inside(call("MPI_Comm_spawn", root=1))
    b.posted(0, 5).inside(call("MPI_Recv", source=0, tag=5))
    assert told((a, b))[:5] == [
        "deadlock: rank 0 and rank 1 wait for each other",
        "  rank 0 waits in MPI_Comm_spawn(root 1), called at x.c:1 in main",
        "    rank 1 has not called it; it waits because the library synchronizes here",
        "  rank 1 waits in MPI_Recv(source 0, tag 5), called at x.c:1 in main",
        "    rank 0 has no such send pending",
    ]
    assert [one.rule.id for one in deadlock_check.check(job(a, b))] == ["unsafe-deadlock"]
    b.joined(1)
    assert stuck((a, b)) == []


def test_what_is_left_over() -> None:
    job_of = ranks(5)
    for one in job_of[:2]:
        one.posted(1 - one.rank, 5).inside(call("MPI_Recv", source=1 - one.rank, tag=5))
    for one in job_of[2:]:
        one.sent(0, 7).sent(3 if one.rank == 4 else 4, 8)  # these messages may still be received
    job_of[0].posted(1, 6, 2)
    assert [line for line in told(job_of) if line.startswith("unmatched")] == [
        "unmatched: rank 0 has posted 2 receives from rank 1 with tag 6: no such message was sent",
        "unmatched: ranks 2 to 4 sent rank 0 1 message each with tag 7: "
        "no receive is posted for them",
    ]


def test_near_misses() -> None:
    a, b, c = ranks(3)
    a.posted(1, 5).inside(call("MPI_Recv", source=1, tag=5))
    b.sent(0, 50, 3).sent(2, 5).inside(call("MPI_Finalize"))
    c.sent(0, 5).inside(call("MPI_Finalize"))
    assert told((a, b, c))[2:6] == [
        "    rank 1 has no such send pending, and is in MPI_Finalize, called at x.c:1 in main",
        "    near miss, another tag: rank 1 sent it 3 messages with tag 50",
        "    near miss, another rank: rank 2 sent it 1 message with tag 5",
        "    near miss, another rank: rank 1 sent 1 message with tag 5 to rank 2",
    ]


def test_near_misses_of_a_send() -> None:
    a, b = ranks(2)
    a.sent(1, 17).inside(call("MPI_Ssend", dest=1, tag=17))
    b.posted(0, 71).inside(call("MPI_Recv", source=0, tag=71))
    near = "    near miss, another tag: rank 1 waits for 1 message with tag 71 from rank 0"
    assert near in told((a, b))


def test_a_large_circle() -> None:
    many = ranks(100)
    for one in many:
        source = (one.rank - 1) % 100
        one.posted(source, 5).inside(call("MPI_Recv", source=source, tag=5))
    lines = told(many)
    assert lines[0] == "deadlock: ranks 0 to 99 wait for each other"
    assert len(lines) < 120
    drawn = list(wait_diagram.lines(wait_diagram.groups(explain(job(*many)), Places())))
    assert drawn == ["A  ranks 0 to 99  MPI_Recv, called at x.c:1 in main  --> A"]


def test_picture() -> None:
    drawn = wait_diagram.groups(explain(job(*two_receives(), *ranks(3, 4)[2:])), Places())
    assert list(wait_diagram.lines(drawn)) == [
        "A  ranks 0 and 1  MPI_Recv, called at x.c:1 in main  --> A",
        "B  rank 2         not in MPI (computing at x.c:2 in work)",
    ]
    root = ElementTree.fromstring(svg(drawn))
    assert [path.get("class") for path in root.findall("{*}path")] == ["line", "tip"]
    assert [box.get("class") for box in root.findall("{*}g/{*}rect")] == ["stuck", "computes"]


def test_document() -> None:
    document = json_output.record(explain(job(*two_receives())), Places())
    assert json.loads(json.dumps(document)) == document
    (knot,) = document["deadlocks"]
    assert (knot["kind"], knot["ranks"], knot["certain"]) == ("deadlock", [0, 1], True)
    (wait,) = document["processes"][0]["calls"]
    (event,) = wait["waits_for"]
    assert (event["what"], event["ranks"]) == ("send", [1])


def test_components() -> None:
    following = {0: [1], 1: [2], 2: [0, 3], 3: [4], 4: [3], 5: [5], 6: [0]}
    found = wait_graph.components(range(7), following)
    assert sorted(map(sorted, found)) == [[0, 1, 2], [3, 4], [5], [6]]
    assert [wait_graph.is_circle(one, following) for one in found if len(one) == 1] == [True, False]
    assert wait_graph.shortest_circle(frozenset({0, 1, 2}), following) == (0, 1, 2)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([3], "rank 3"),
        ([1, 0], "ranks 0 and 1"),
        ([0, 1, 2], "ranks 0 to 2"),
        ([0, 2, 3, 4, 8], "ranks 0, 2 to 4 and 8"),
    ],
)
def test_ranks(numbers: list[int], text: str) -> None:
    assert wording.ranks(numbers) == text


def test_ordinals() -> None:
    assert [wording.ordinal(one) for one in (1, 2, 3, 4, 11, 12, 13, 21, 22, 103, 111)] == (
        "1st 2nd 3rd 4th 11th 12th 13th 21st 22nd 103rd 111th".split()
    )
    a, b = ranks(2)
    a.joined(21).inside(call("MPI_Barrier", ordinal=21))
    b.joined(21).inside(call("MPI_Bcast", root=0, ordinal=21))
    assert "    the 21st collective call of rank 1 on it is " in told((a, b))[2]


def test_the_picture_of_many() -> None:
    many = ranks(64)
    for one in many:
        if one.rank in (5, 6):
            other = 11 - one.rank
            one.posted(other, 5).inside(call("MPI_Recv", source=other, tag=5))
        elif one.rank % 7 == 0:
            one.posted(5, 5).inside(call("MPI_Recv", source=5, tag=5))
        elif one.rank != 40:
            one.joined(1).inside(call("MPI_Barrier"))
    drawn = wait_diagram.groups(explain(job(*many)), Places())
    assert list(wait_diagram.lines(drawn)) == [
        "A  ranks 0, 7, 14, 21, 28, 35 and 4 more      MPI_Recv, called at x.c:1 in main     --> C",
        "B  ranks 1 to 4, 8 to 13, 15, 16 and 39 more  MPI_Barrier, called at x.c:1 in main  "
        "--> A, C, D",
        "C  ranks 5 and 6                              MPI_Recv, called at x.c:1 in main     --> C",
        "D  rank 40                                    not in MPI (computing at x.c:2 in work)",
    ]
    assert [group.state for group in drawn] == ["behind", "behind", "stuck", "computes"]
    assert "<title>ranks 0, 7, 14, 21, 28, 35, 42, 49, 56 and 63: MPI_Recv" in svg(drawn)
