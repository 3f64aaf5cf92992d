# SPDX-License-Identifier: MIT
"""Each rule of the memory model, by a pair of accesses that breaks it, and a corrected pair."""

from __future__ import annotations

from typing import Any

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model.rma_events import Access, Attached, Collective, Synchronization, WindowFreed
from tests.unit.analysis.rma.event_programs import (
    BASE,
    Program,
    at,
    buffer,
    found,
    told,
)

# The figures of paper 000: within an epoch, between processes in active and passive mode, and
# between origin and target.


@pytest.mark.parametrize("fixed", [False, True])
def test_origin_buffer_within_an_epoch(fixed: bool) -> None:
    program = Program(2)
    program.sync("fence")
    program[0].put(1, at(0), buffer(7))
    if fixed:
        program.sync("fence")
    program[0].store(buffer(7))
    program.sync("fence")
    program.end()
    assert found(program) == ([] if fixed else ["rma-buffer: put@0 store@0 4 bytes of 0, pending"])


@pytest.mark.parametrize("fixed", [False, True])
def test_two_origins_in_active_mode(fixed: bool) -> None:
    program = Program(3)
    program[1].sync("post", -1, (0, 2))
    for origin in (0, 2):
        program[origin].sync("start", -1, (1,))
        program[origin].put(1, at(origin * 4 if fixed else 0))
        program[origin].sync("complete")
    program[1].sync("wait")
    program.end()
    assert found(program) == ([] if fixed else ["rma-target: put@0 put@2 [0,4) of 1, unordered"])


@pytest.mark.parametrize("fixed", [False, True])
def test_two_origins_in_passive_mode(fixed: bool) -> None:
    program = Program(3)
    program.barrier()
    for origin, kind in ((0, "put"), (2, "get")):
        program[origin].sync("lock", 1)
        program[origin].operation(kind, 1, at(0))
        program[origin].sync("unlock", 1)
        if fixed:
            program.barrier()
    program.barrier()
    program.end()
    assert found(program) == ([] if fixed else ["rma-target: put@0 get@2 [0,4) of 1, unordered"])


@pytest.mark.parametrize("locks", ["shared", "one", "both"])
def test_origin_and_target_in_passive_mode(locks: str) -> None:
    program = Program(2)
    program.barrier()
    program[0].sync("lock", 1, exclusive=locks != "shared")
    program[0].put(1, at(0))
    program[0].sync("unlock", 1)
    program[1].sync("lock", 1, exclusive=locks == "both")
    program[1].store(at(0))
    program[1].sync("unlock", 1)
    program.barrier()
    program.end()
    assert found(program) == (
        ["rma-local: put@0 store@1 [0,4) of 1, unordered"] if locks == "shared" else []
    )


def test_locks_that_are_not_checked_keep_nobody_off() -> None:
    for asserted in ((), ("MPI_MODE_NOCHECK",)):
        program = Program(3)
        for origin in (0, 1):
            program[origin].sync("lock", 2, (), *asserted, exclusive=True)
            program[origin].put(2, at(0))
            program[origin].sync("unlock", 2)
        line = "rma-target: put@0 put@1 [0,4) of 2, unordered"
        assert found(program) == ([line] if asserted else [])


@pytest.mark.parametrize(
    ("first", "second", "ordered", "expected"),
    [
        (["put"], ["put"], False, ["lock-order: put@0 put@1 [0,4) of 2, unordered"]),
        (["put"], ["get"], False, ["lock-order: put@0 get@1 [0,4) of 2, unordered"]),
        (["put"], ["put"], True, []),
        (["get", "put"], ["get", "put"], False, []),  # counters
        (["get"], ["get"], False, []),
        (["accumulate"], ["accumulate"], False, []),
    ],
)
def test_the_order_of_exclusive_locks(
    first: list[str], second: list[str], ordered: bool, expected: list[str]
) -> None:
    program = Program(3)
    for origin, kinds in enumerate((first, second)):
        program[origin].sync("lock", 2, exclusive=True)
        for number, kind in enumerate(kinds):
            if kind == "accumulate":
                program[origin].accumulate(2, at(0))
            else:
                program[origin].operation(kind, 2, at(0), buffer(number))
            program[origin].sync("flush", 2)
        program[origin].sync("unlock", 2)
        if ordered:
            program.barrier()
    assert found(program) == []
    assert [told(one) for one in analyse(program.events()).locks] == expected


@pytest.mark.parametrize("fixed", [False, True])
def test_result_used_before_the_end_of_the_epoch(fixed: bool) -> None:
    # Figures 1 and 6: a load and a store of memory that a get has not written yet.
    program = Program(2)
    program[0].sync("lock", 1, exclusive=True)
    program[0].get(1, at(0), buffer(1))
    if fixed:
        program[0].sync("flush", 1)
    program[0].load(buffer(1))
    program[0].store(buffer(1))
    program[0].sync("unlock", 1)
    program.end()
    assert found(program) == (
        []
        if fixed
        else [
            "rma-buffer: get@0 load@0 4 bytes of 0, pending",
            "rma-buffer: get@0 store@0 4 bytes of 0, pending",
        ]
    )


def test_order_goes_through_others() -> None:
    # Figure 3, and a case that the paper leaves open: 0 -> 2 -> 1.
    for broken in (None, "flush", "first", "second"):
        program = Program(3)
        program.sync("lock_all")
        program[0].put(1, at(0))
        if broken != "flush":
            program[0].sync("flush", 1)
        if broken != "first":
            program.message(0, 2)
        if broken != "second":
            program.message(2, 1)
        program[1].load(at(0))
        program.sync("unlock_all")
        program.end()
        why = "incomplete" if broken == "flush" else "unordered"
        expected = [f"rma-local: put@0 load@1 [0,4) of 1, {why}"]
        assert found(program) == (expected if broken else []), broken


# Two accesses conflict, with any others in between.

ACCUMULATED = "accumulate"
REMOTE_PAIRS = {
    ("get", "get"): "",
    ("put", "get"): "rma-target",
    ("put", "put"): "rma-target",
    (ACCUMULATED, "put"): "rma-target",
    (ACCUMULATED, "get"): "rma-target",
    (ACCUMULATED, ACCUMULATED): "",
    (ACCUMULATED, "fetch_and_op"): "",
    (ACCUMULATED, "compare_and_swap"): "rma-accumulates",
    ("compare_and_swap", "compare_and_swap"): "",
}


@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.parametrize("pair", REMOTE_PAIRS)
def test_two_operations(pair: tuple[str, str], overlaps: bool) -> None:
    program = Program(3)
    program.sync("fence")
    program[0].operation(pair[0], 2, at(0, 8))
    program[1].operation(pair[1], 2, at(4 if overlaps else 8, 8))
    program.sync("fence")
    rule = REMOTE_PAIRS[pair]
    expected = [f"{rule}: {pair[0]}@0 {pair[1]}@1 [4,8) of 2, unordered"]
    assert found(program) == (expected if rule and overlaps else [])


LOCAL_PAIRS = {
    ("load", "get"): "",
    ("load", "put"): "rma-local",
    ("load", ACCUMULATED): "rma-local",
    ("store", "get"): "rma-local",
    ("store", "put"): "rma-local",
    ("store", ACCUMULATED): "rma-local",
}


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.parametrize("pair", LOCAL_PAIRS)
def test_operation_and_access(pair: tuple[str, str], overlaps: bool, separate: bool) -> None:
    program = Program(2, separate=separate)
    program.sync("fence")
    getattr(program[0], pair[0])(at(0, 8))
    program[1].operation(pair[1], 0, at(4 if overlaps else 8, 8))
    program.sync("fence")
    rule = LOCAL_PAIRS[pair] if overlaps else ""
    bytes_ = "[4,8)"
    if separate and not overlaps and pair[0] == "store" and pair[1] != "get":
        rule, bytes_ = "rma-apart", "[8,16) and [0,8)"
    expected = [f"{rule}: {pair[1]}@1 {pair[0]}@0 {bytes_} of 0, unordered"]
    assert found(program) == (expected if rule else [])


@pytest.mark.parametrize("overlaps", [False, True])
@pytest.mark.parametrize("kind", ["put", "get", "accumulate", "get_accumulate"])
def test_an_operation_whose_buffer_is_its_target(kind: str, overlaps: bool) -> None:
    program = Program(2)
    program.sync("fence")
    program[0].operation(kind, 0, at(0, 8), at(4 if overlaps else 8, 8))
    program.sync("fence")
    line = f"rma-itself: {kind}@0 {kind}@0 [4,8) of 0, itself"
    assert found(program) == ([line] if overlaps else [])


def test_what_an_operation_that_takes_nothing_has_for_a_buffer_does_not_matter() -> None:
    program = Program(2)
    program.sync("fence")
    program[0].operation("fetch_and_op", 0, at(0), (), at(0), op="MPI_NO_OP")
    program[0].operation("fetch_and_op", 0, at(8), (), op="MPI_NO_OP")
    program.sync("fence")
    line = "rma-itself: fetch_and_op@0 fetch_and_op@0 [0,4) of 0, itself"
    assert found(program) == [line]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("put", "put", ""),
        ("put", "get", "rma-two-buffers"),
        ("get", "get", "rma-two-buffers"),
        ("accumulate", "get", "rma-two-buffers"),
    ],
)
def test_one_buffer_of_two_operations(first: str, second: str, expected: str) -> None:
    program = Program(2)
    program.sync("fence")
    program[0].operation(first, 1, at(0), buffer(1))
    program[0].operation(second, 1, at(8), buffer(1))
    program.sync("fence")
    line = f"{expected}: {first}@0 {second}@0 4 bytes of 0, pending"
    assert found(program) == ([line] if expected else [])


def test_many_alike_are_one() -> None:
    program = Program(2)
    program.sync("lock_all")
    place = program[0].put(1, at(0), buffer(1)).moment
    for _ in range(1000):
        moment = program[0].moment("store")._replace(place=place.place)
        program[0].does(Access(moment, True, buffer(1)))
    program.sync("unlock_all")
    (conflict,) = analyse(program.events()).conflicts
    assert conflict.times == 1000


def test_threads_go_on_while_others_wait() -> None:
    # A thread of process 0 is in a barrier, a fence and MPI_Win_wait. Another thread sends messages
    # that the other processes need before they get there.
    program = Program(2)
    for kind in ("barrier", "fence", "wait"):
        request = program.request()
        if kind == "wait":
            program[0].sync("post", -1, (1,))
        call = program[0].sync("fence" if kind == "barrier" else kind)
        program[0].events.pop()
        if kind == "barrier":
            collective = Collective(call.moment, 0, 0, 2, request=request)
            program[0].does(collective)
        else:
            assert isinstance(call, Synchronization)
            program[0].does(call._replace(request=request))
        program.message(0, 1)
        if kind == "barrier":
            program[1].does(Collective(program[1].moment(kind), 0, 0, 2))
        elif kind == "fence":
            program[1].sync(kind)
        else:
            program[1].sync("start", -1, (0,))
            program[1].put(0, at(0))
            program[1].sync("complete")
        program[0].completed(request)
    program[0].load(at(0))
    program.end()
    assert found(program) == []


def test_dynamic_windows_and_the_end_of_windows() -> None:
    for freed in (False, True):
        program = Program(2, flavor="dynamic")
        moment = program[1].moment("MPI_Win_attach")
        program[1].does(Attached(moment, 1, BASE, 64))
        program.sync("lock_all")
        program.barrier()
        program[0].put(1, at(0))
        if freed:
            program.sync("unlock_all")
            moment = program[1].moment("MPI_Win_detach")
            program[1].does(Attached(moment, 1, BASE, 0, False))
            for rank in program.ranks:
                rank.does(WindowFreed(rank.moment("MPI_Win_free"), 1))
        program[1].store(at(0))
        if not freed:
            program.sync("unlock_all")
        line = "rma-local: put@0 store@1 [0,4) of 1, unordered"
        assert found(program) == ([] if freed else [line])


@pytest.mark.parametrize("second", ["put", "load", "flush", "barrier"])
def test_threads_of_one_process_that_use_windows(second: str) -> None:
    program = Program(2)
    program.sync("lock_all")
    if second == "put":
        program[0].put(1, at(0))
    elif second == "load":
        program[0].load(at(64))
    elif second == "flush":
        program[0].sync("flush", 1)
    else:
        program.barrier()
    last: Any = program[0].events[-1]
    program[0].events[-1] = last._replace(moment=last.moment._replace(thread=1))
    program.sync("unlock_all")
    assert analyse(program.events()).threaded == (set() if second == "barrier" else {0})
