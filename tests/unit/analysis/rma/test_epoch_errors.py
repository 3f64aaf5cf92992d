# SPDX-License-Identifier: MIT
"""Wrong synchronization, and window memory that ends too early."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model.rma_events import Operation, RequestFreed, Synchronization, WindowInfo
from tests.unit.analysis.rma.event_programs import (
    WINDOW,
    Program,
    at,
    found,
)


def test_mistakes() -> None:
    def mistakes(*calls: tuple[Any, ...] | str) -> list[str]:
        program = Program(2)
        for call in calls:
            kind, *rest = (call,) if isinstance(call, str) else call
            if kind == "put":
                program[0].put(1, at(0))
            elif kind == "store":
                program[0].store(at(64))
            elif kind in ("lock", "unlock", "flush"):
                program[0].sync(kind, *rest or (1,))
            elif kind == "fence":
                program.sync(kind, *rest)
            else:
                program[0].sync(kind)
        program.end()
        return found(program)

    assert mistakes("put") == ["rma-no-epoch: put"]
    assert mistakes("fence", "put", "fence") == []
    assert mistakes(("fence", "MPI_MODE_NOSUCCEED"), "put") == ["rma-no-epoch: put"]
    assert mistakes("lock", "lock", "put", "unlock") == ["rma-locked: lock"]
    assert mistakes("lock", "lock_all", "unlock_all", "unlock") == ["rma-nested: lock_all"]
    assert mistakes("fence", "put", "start", "complete", "fence") == ["rma-nested: start"]
    assert mistakes("fence", "start", "complete", "fence") == []
    assert mistakes("lock") == ["rma-not-ended: lock"]
    assert mistakes("fence", "put") == ["rma-not-ended: fence"]
    assert mistakes("fence") == []
    assert mistakes("unlock") == ["rma-not-open: unlock"]
    assert mistakes("flush") == ["rma-not-open: flush"]
    assert mistakes("lock", ("flush", 0), "unlock") == ["rma-not-open: flush"]
    assert mistakes("lock_all", ("flush", 0), "sync", "unlock_all") == []
    assert mistakes("lock", ("flush", 0), "sync", "unlock", "sync") == [
        "rma-not-open: flush",
        "rma-not-open: sync",
    ]
    assert mistakes("fence", "sync", "fence") == ["rma-not-open: sync"]
    assert mistakes("fence", "put", ("fence", "MPI_MODE_NOPRECEDE")) == ["rma-noprecede: fence"]
    assert mistakes("fence", "store", ("fence", "MPI_MODE_NOSTORE")) == ["rma-nostore: fence"]
    assert mistakes(("fence", "MPI_MODE_NOPUT"), "put", "fence") == ["rma-noput: fence"]


@pytest.mark.parametrize("made", [False, True])
@pytest.mark.parametrize("said", [None, False, True])
@pytest.mark.parametrize("lock", ["lock", "lock_all"])
def test_windows_that_are_not_locked_as_their_info_says(
    made: bool, said: bool | None, lock: str
) -> None:
    """The last value of the info key counts."""
    program = Program(2)
    program.make(WINDOW + 1, no_locks=made, base=0, length=0)
    for rank in (0, 1):
        program[rank].does(WindowInfo(program[rank].moment("MPI_Win_set_info"), WINDOW + 1))
        if said is not None:
            info = WindowInfo(program[rank].moment("MPI_Win_set_info"), WINDOW + 1, no_locks=said)
            program[rank].does(info)
    target = 1 if lock == "lock" else -1
    for kind in (lock, lock.replace("lock", "unlock")):
        moment = program[0].moment(kind)
        program[0].does(Synchronization(moment, kind, WINDOW + 1, target))
    program.end()
    assert found(program) == ([f"rma-no-locks: {lock}"] if (made if said is None else said) else [])


def test_get_of_a_fence_is_not_one_of_the_start_within() -> None:
    program = Program(2)
    program.sync("fence")
    program[0].get(1, at(0))
    program[0].sync("start", -1, (1,))
    program[0].sync("complete")
    program[1].sync("post", -1, (0,))
    program[1].sync("wait")
    program.sync("fence")
    assert found(program) == ["rma-nested: start"]


@pytest.mark.parametrize("lock", ["lock", "lock_all"])
@pytest.mark.parametrize("target", [0, 1])
def test_windows_are_not_locked_and_exposed_at_once(lock: str, target: int) -> None:
    """Only locks of the process's own window matter; other processes may lock and expose theirs."""
    for calls in ("post lock", "lock post", "post wait lock", "lock unlock post"):
        program = Program(2)
        for call in calls.split():
            kind = call.replace("lock", lock)
            program[0].sync(kind, target if kind.endswith("lock") else -1)
        for call in ("wait", "unlock"):
            if call not in calls.split():
                program[0].sync(
                    call.replace("lock", lock), target if (call, lock) == ("unlock", "lock") else -1
                )
        wrong = len(calls.split()) == 2 and (lock == "lock_all" or target == 0)
        last = calls.split()[1].replace("lock", lock)
        assert found(program) == ([f"rma-exposed: {last}"] if wrong else []), calls


@pytest.mark.parametrize("lock", ["lock", "lock_all"])
@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ("post wait lock unlock", True),
        ("post wait order lock unlock", False),
        ("post wait told lock unlock", False),
        ("post told wait lock unlock", True),  # ordered after the post, but not after the wait
        ("lock unlock post wait", True),
        ("lock unlock order post wait", False),
        ("lock order unlock post wait", True),
        ("lock unlock post wait order post wait", True),
        ("lock unlock order post wait order lock unlock", False),
    ],
)
def test_windows_are_not_locked_by_others_while_they_are_exposed(
    lock: str, steps: str, wrong: bool
) -> None:
    """The order must hold in any run, not only in this one."""
    program = Program(2)
    for step in steps.split():
        if step == "order":
            program.barrier()
        elif step == "told":
            program.message(1, 0)
        elif step.endswith("lock"):
            kind = step.replace("lock", lock)
            program[0].sync(kind, 1 if lock == "lock" else -1)
        else:
            program[1].sync(step, -1)
    assert found(program) == ([f"rma-exposed: {lock}"] if wrong else [])


def test_locks_of_one_process_do_not_concern_what_another_has_exposed() -> None:
    program = Program(3)
    program[1].sync("post")
    program[0].sync("lock", 2)
    program[0].sync("unlock", 2)
    program[1].sync("wait")
    assert found(program) == []


@pytest.mark.parametrize("kind", ["fetch_and_op", "get_accumulate", "get"])
@pytest.mark.parametrize("op", ["MPI_NO_OP", "MPI_SUM"])
def test_reads_are_no_updates(kind: str, op: str) -> None:
    """MPI_MODE_NOPUT allows calls that only read, by any procedure."""
    program = Program(2)
    program.sync("fence", "MPI_MODE_NOPUT")
    program[0].operation(kind, 1, at(0), op="" if kind == "get" else op)
    program.sync("fence")
    program[1].sync("post", -1, (0,), "MPI_MODE_NOPUT")
    program[0].sync("start", -1, (1,))
    program[0].operation(kind, 1, at(0), op="" if kind == "get" else op)
    program[0].sync("complete")
    program[1].sync("wait")
    reads = kind == "get" or op == "MPI_NO_OP"
    assert found(program) == ([] if reads else ["rma-noput: fence", "rma-noput: post"])


def test_calls_that_begin_wrongly_are_told_once() -> None:
    """MPI may reject them, or never return: no event shows whether they succeeded."""

    def mistakes(kind: str, target: int, *before: str, succeeds: bool) -> list[str]:
        program = Program(2)
        for call in before:
            program[0].sync(call, 1 if call == "lock" else -1)
        event = program[0].sync(kind, target)
        assert isinstance(event, Synchronization)
        program[0].events[-1] = event._replace(attempt=True)
        if succeeds:
            again = program[0].moment(kind)._replace(place=event.moment.place)
            program[0].does(event._replace(moment=again))
        result = analyse(program.events())
        assert all(one.times == 1 for one in result.mistakes)
        return [f"{one.rule}: {one.event.moment.procedure}" for one in result.mistakes]

    for succeeds in (False, True):
        assert mistakes("unlock", 1, succeeds=succeeds) == ["rma-not-open: unlock"]
        assert mistakes("unlock", 1, "lock", succeeds=succeeds) == []
        assert mistakes("lock", 1, "lock", succeeds=succeeds) == ["rma-locked: lock"]
        assert mistakes("lock_all", -1, "lock", succeeds=succeeds) == ["rma-nested: lock_all"]
        assert mistakes("wait", -1, succeeds=succeeds) == ["rma-not-open: wait"]
    assert mistakes("free", -1, "lock", succeeds=False) == ["rma-not-ended: lock"]


def test_mistakes_have_the_epochs_around_them() -> None:
    """A mistake shows the last epochs that ended, and the open ones."""
    program = Program(2)
    for _ in range(3):
        program[0].sync("lock", 1)
        program[0].sync("unlock", 1)
    program.barrier()
    program[1].sync("post", -1, (0,))
    program[0].sync("start", -1, (1,))
    program[0].sync("complete")
    program[1].sync("wait")
    program.barrier()
    program.sync("fence")
    program[0].put(1, at(0))
    program[0].sync("lock_all")
    program[0].sync("unlock_all")
    program.sync("fence")
    program[0].sync("flush", 1)
    program.end()
    nested, flushed = analyse(program.events()).mistakes
    told = [
        [(begin.kind, end and end.kind) for begin, end in one.epochs] for one in (nested, flushed)
    ]
    assert told == [
        [("lock", "unlock"), ("start", "complete"), ("fence", None)],
        [("lock_all", "unlock_all"), ("fence", "fence")],
    ]


def test_what_is_not_checked_must_be_said_on_both_sides() -> None:
    for start, post in itertools.product((True, False), repeat=2):
        program = Program(2)
        asserted = ("MPI_MODE_NOCHECK",)
        program[1].sync("post", -1, (0,), *asserted * post)
        program.message(1, 0)
        program[0].sync("start", -1, (1,), *asserted * start)
        program[0].sync("complete")
        program[1].sync("wait")
        program.end()
        assert found(program) == (["rma-nocheck: start"] if start != post else [])


@pytest.mark.parametrize(
    ("between", "wrong"),
    [("", True), ("before", True), ("message", False), ("by another", False), ("flag", False)],
)
def test_a_start_that_is_not_checked_comes_after_the_post(between: str, wrong: bool) -> None:
    program = Program(3, windows=2)
    program.sync("lock_all", window=2)
    if between == "before":
        program.message(1, 0)
    program[1].sync("post", -1, (0, 2), "MPI_MODE_NOCHECK")
    if between == "message":
        program.message(1, 0)
    if between in ("message", "by another"):
        program.message(1, 2)
    if between == "by another":
        program.message(2, 0)
    if between == "flag":  # their values are unknown
        program[1].operation("accumulate", 2, at(64), window=2)
        program[1].sync("flush", 2, window=2)
        for origin in (0, 2):
            program[origin].operation("fetch_and_op", 2, at(64), op="MPI_NO_OP", window=2)
            program[origin].sync("flush", 2, window=2)
    for origin in (0, 2):
        program[origin].sync("start", -1, (1,), "MPI_MODE_NOCHECK")
        program[origin].put(1, at(8 * origin))
        program[origin].sync("complete")
    program[1].sync("wait")
    program.sync("unlock_all", window=2)
    assert found(program) == ["rma-not-posted: start"] * (2 * wrong)


@pytest.mark.parametrize("asserted", ["MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED", "MPI_MODE_NOPUT"])
@pytest.mark.parametrize("by", [(), (0,), (1, 2), (0, 1, 2)])
def test_some_assertions_are_those_of_all_processes(asserted: str, by: tuple[int, ...]) -> None:
    program = Program(3)
    program.sync("fence")
    for rank in range(3):
        program[rank].sync("fence", -1, (), *(asserted,) * (rank in by))
    program.end()
    result = analyse(program.events())
    wrong = asserted != "MPI_MODE_NOPUT" and 0 < len(by) < 3
    assert {one.rule for one in result.mistakes} == ({"rma-some-fences"} if wrong else set())
    for one in result.mistakes:
        assert one.event.moment.process in by
        assert one.other
        assert one.other.moment.process not in by


@pytest.mark.parametrize("first", ["", "wait", "flush"])
def test_requests_are_not_freed(first: str) -> None:
    program = Program(2)
    program[0].sync("lock", 1)
    program[0].operation("put", 1, at(0), request=7)
    if first == "wait":
        program[0].completed(7)
    elif first == "flush":
        program[0].sync("flush", 1)
    program[0].does(RequestFreed(program[0].moment("MPI_Request_free"), 7))
    program[0].does(RequestFreed(program[0].moment("MPI_Request_free"), 8))
    program[0].sync("unlock", 1)
    program.end()
    assert found(program) == ([] if first else ["rma-given-up: put"])


@pytest.mark.parametrize("opens", ["fence", "start", "lock", "lock_all"])
def test_requests_need_passive_target_epochs(opens: str) -> None:
    program = Program(2)
    ends = {"fence": "fence", "start": "complete"}.get(opens, f"un{opens}")
    if opens == "fence":
        program.sync("fence")
    elif opens == "start":
        program[1].sync("post", -1, (0,))
        program[0].sync("start", -1, (1,))
    else:
        program[0].sync(opens, 1 if opens == "lock" else -1)
    for procedure in ("MPI_Put", "MPI_Rput_c"):
        put = program[0].put(1, at(0 if procedure == "MPI_Put" else 64))
        assert isinstance(put, Operation)
        named = put.moment._replace(procedure=procedure)
        program[0].events[-1] = put._replace(moment=named)
    if opens == "fence":
        program.sync("fence")
    else:
        program[0].sync(ends, 1 if opens == "lock" else -1)
        if opens == "start":
            program[1].sync("wait")
    program.end()
    active = opens in ("fence", "start")
    assert found(program) == (["rma-with-request: MPI_Rput_c"] if active else [])
