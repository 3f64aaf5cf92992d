# SPDX-License-Identifier: MIT
"""The order of threads: random programs against an enumeration, and cases by themselves."""

from __future__ import annotations

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.analysis.rma_engine.conflicts import search
from mpipp.model import rma_events as m
from mpipp.model.moment import Moment
from tests.unit.analysis.rma.event_programs import BASE, LENGTH, WINDOW
from tests.unit.analysis.rma_threads.thread_programs import (
    Program,
    Step,
    differs,
    random_program,
    reported,
)

GET, FLUSH = Step(0, 0, "get"), Step(0, 0, "flush")
STORE = Step(0, 1, "store")
RELEASE, ACQUIRE = Step(0, 0, "release"), Step(0, 1, "acquire")


def test_reports_are_those_of_the_enumeration() -> None:
    assert [found for seed in range(500) if (found := differs(seed))] == []
    conflicting = sum(bool(random_program(seed).conflicts()) for seed in range(100))
    assert 50 < conflicting < 99


def test_an_object_orders_threads() -> None:
    assert reported(Program([GET, FLUSH, STORE], 2)) == {(0, 2)}
    assert reported(Program([GET, FLUSH, RELEASE, ACQUIRE, STORE], 2)) == set()
    other = ACQUIRE._replace(what=1)
    assert reported(Program([GET, FLUSH, RELEASE, other, STORE], 2)) == {(0, 4)}


def test_a_flush_of_another_thread_completes_only_earlier_operations() -> None:
    flush = Step(0, 1, "flush")
    # Without order, the flush may come before the get.
    assert reported(Program([GET, flush, STORE], 2)) == {(0, 2)}
    assert reported(Program([GET, RELEASE, ACQUIRE, flush, STORE], 2)) == set()
    # The flush of the first thread has ended the get in this run. The flush of the second thread
    # would end it, too.
    assert reported(Program([GET, RELEASE, FLUSH, ACQUIRE, flush, STORE], 2)) == set()


def test_messages_order_only_the_threads_that_send_and_receive() -> None:
    put, flush = Step(0, 0, "put"), Step(0, 0, "flush")
    take, load = Step(1, 0, "take send"), Step(1, 0, "load")
    assert reported(Program([put, flush, Step(0, 0, "send"), take, load], 2)) == set()
    assert reported(Program([put, flush, Step(0, 1, "send"), take, load], 2)) == {(0, 4)}


def test_without_atomic_operations_a_conflict_is_only_possible() -> None:
    events = Program([GET, FLUSH, STORE], 2).events()
    result = analyse(events, threads={0: m.ThreadOrder(2, observed=True)})
    assert not result.conflicts
    assert [one.why for one in result.undecided] == ["threads"]


def test_without_observed_order_the_log_orders() -> None:
    result = analyse(Program([GET, FLUSH, STORE], 2).events(), threads={0: m.ThreadOrder(2)})
    assert not result.conflicts and not result.undecided
    assert result.threaded == {0}


def test_ended_threads_do_not_keep_accesses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SWEEP", 0)
    monkeypatch.setattr(search, "MOST_KEPT", 50)
    events: list[m.Event] = [
        m.WindowMade(Moment(0, 0, 1, 1, ""), WINDOW, BASE, LENGTH, 1, "create", False, (0,)),
    ]
    for turn in range(200):
        at, thread = 10 * turn + 10, 1 + turn % 2
        events += [
            m.ThreadReleased(Moment(0, 0, at, 2, ""), turn),
            m.ThreadAcquired(Moment(0, thread, at + 1, 3, ""), turn),
            m.Access(Moment(0, thread, at + 2, 10 + turn, ""), True, (m.Comb(BASE + turn, 1),)),
            m.ThreadReleased(Moment(0, thread, at + 3, 4, ""), -turn, rests=True),
            m.ThreadAcquired(Moment(0, 0, at + 4, 5, ""), -turn),
        ]
    result = analyse({0: events}, threads={0: m.ThreadOrder(3, observed=True, atomics=True)})
    assert (result.forgotten, result.conflicts) == (0, [])
