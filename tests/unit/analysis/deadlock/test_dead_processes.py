# SPDX-License-Identifier: MIT
"""Explanations of hangs in which processes died of a signal, for hand-made records."""

from __future__ import annotations

from mpipp.analysis import deadlock_check, fatal_signal
from mpipp.analysis.context.process import Death
from mpipp.analysis.deadlock import before_init
from mpipp.analysis.deadlock.analysis import explain
from mpipp.analysis.deadlock_text import wait_diagram
from mpipp.analysis.deadlock_text.report import Report
from mpipp.analysis.deadlock_text.wait_diagram_svg import svg
from tests.unit.jobs import Places, Recorded, call, job, processes, ranks

DEATH = Death("SIGSEGV", 1, "at y.c:7 in work")
DEAD = "dead (SIGSEGV at y.c:7 in work)"


def waits_for_one_that_died() -> tuple[Recorded, Recorded]:
    a, b = ranks(2)
    a.posted(1, 5).inside(call("MPI_Recv", source=1, tag=5))
    b.death = DEATH
    return a, b


def test_the_dead_come_first() -> None:
    assert list(Report(explain(job(*waits_for_one_that_died())), Places()).lines()) == [
        f"rank 1 is {DEAD}",
        "",
        "waits forever: rank 0 waits for rank 1, which will not communicate again",
        "  rank 0 waits in MPI_Recv(source 1, tag 5), called at x.c:1 in main",
        f"    rank 1 has no such send pending, and is {DEAD}",
        "",
    ]


def test_they_are_told_together() -> None:
    a, b, c = ranks(3)
    a.death = b.death = DEATH
    assert list(Report(explain(job(a, b, c)), Places()).lines()) == [
        f"ranks 0 and 1 are {DEAD}",
        "still moving: every wait can still be satisfied",
        "  rank 2 is not in MPI (computing at x.c:2 in work)",
    ]


def test_in_a_call() -> None:
    (one,) = ranks(1)
    one.death = DEATH
    one.inside(call("MPI_Barrier"))
    said = "rank 0 is dead (SIGSEGV in MPI_Barrier, called at x.c:1 in main)"
    assert list(Report(explain(job(one)), Places()).lines()) == [said]


def test_in_another_thread_than_that_of_the_call() -> None:
    (one,) = ranks(1)
    one.death = DEATH._replace(tid=77)
    one.inside(call("MPI_Barrier"))
    assert list(Report(explain(job(one)), Places()).lines()) == [f"rank 0 is {DEAD}"]


def test_pictures() -> None:
    groups = wait_diagram.groups(explain(job(*waits_for_one_that_died())), Places())
    assert [(one.state, one.text) for one in groups[1:]] == [("died", DEAD)]
    assert 'class="died"' in svg(groups)


def test_without_a_rank() -> None:
    a, b = ranks(2)
    a.in_world = b.in_world = False
    a.death = DEATH
    others = before_init.unranked(processes(a, b))
    assert list(before_init.lines(others, Places())) == [
        "unknown: process 101 may still continue, but no rank is known",
        "  process 101 is not in MPI (computing at x.c:2 in work)",
        f"process 100, whose rank is unknown, is {DEAD}",
    ]


def test_findings() -> None:
    # The other process makes no error.
    a, b = waits_for_one_that_died()
    assert list(deadlock_check.check(job(a, b))) == []
    found = list(fatal_signal.check(*processes(b)))
    assert [(one.rule.id, one.what.text) for one in found] == [
        ("process-died", "a process has died of SIGSEGV")
    ]
    assert found[0].parties[0].text == "not in MPI: at y.c:7 in work"


def test_one_that_has_ended_the_job() -> None:
    (one,) = ranks(1)
    one.death = Death("SIGABRT", 1, "in abort")
    one.inside(call("MPI_Abort"))
    assert list(fatal_signal.check(*processes(one))) == []
