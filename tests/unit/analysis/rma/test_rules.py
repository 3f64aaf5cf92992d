# SPDX-License-Identifier: MIT
"""Each rule of the memory model, by a pair of accesses that breaks it, and a corrected pair."""

from __future__ import annotations

from typing import Any

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model.rma_events import (
    UNKNOWN,
    Access,
    Attached,
    Collective,
    Comb,
    Event,
    Operation,
    Synchronization,
    WindowFreed,
)
from tests.unit.analysis.rma.event_programs import (
    BASE,
    INT,
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


@pytest.mark.parametrize(
    ("first", "second", "how", "conflicts"),
    [
        (("MPI_SUM", INT), ("MPI_SUM", INT), {}, False),
        (("MPI_SUM", INT), ("MPI_PROD", INT), {}, True),
        (("MPI_SUM", INT), ("MPI_SUM", "MPI_UNSIGNED"), {}, True),
        (("MPI_SUM", INT), ("MPI_NO_OP", INT), {}, False),
        (("MPI_SUM", INT), ("MPI_NO_OP", INT), {"accumulate_ops": "same_op"}, True),
        (("MPI_NO_OP", INT), ("MPI_NO_OP", "MPI_UNSIGNED"), {}, False),
    ],
)
def test_accumulates(
    first: tuple[str, str], second: tuple[str, str], how: dict[str, Any], conflicts: bool
) -> None:
    program = Program(3, **how)
    program.sync("fence")
    for origin, (op, type_) in enumerate((first, second)):
        program[origin].operation("get_accumulate", 2, at(0), op=op, types=[type_])
    program.sync("fence")
    result = analyse(program.events())
    assert [told(one) for one in result.conflicts] == (
        ["rma-accumulates: get_accumulate@0 get_accumulate@1 [0,4) of 2, unordered"]
        if conflicts
        else []
    )


@pytest.mark.parametrize(
    ("keys", "kinds", "conflicts"),
    [
        (("rar", "raw", "war", "waw"), ("accumulate", "accumulate"), False),
        (("waw",), ("accumulate", "accumulate"), False),
        (("rar", "raw", "war"), ("accumulate", "accumulate"), True),
        ((), ("accumulate", "accumulate"), True),
        (("waw", "war"), ("get_accumulate", "accumulate"), False),
        (("waw", "raw"), ("get_accumulate", "accumulate"), True),
        (("waw", "raw"), ("accumulate", "get_accumulate"), False),
        (("waw", "raw", "war"), ("get_accumulate", "get_accumulate"), True),
    ],
)
def test_order_of_accumulates(
    keys: tuple[str, ...], kinds: tuple[str, str], conflicts: bool
) -> None:
    program = Program(2, accumulate_ordering=frozenset(keys))
    program.sync("fence")
    for kind, op in zip(kinds, ("MPI_SUM", "MPI_PROD")):
        program[0].operation(kind, 1, at(0), op=op)
    program.sync("fence")
    line = f"rma-accumulates: {kinds[0]}@0 {kinds[1]}@0 [0,4) of 1, pending"
    assert found(program) == ([line] if conflicts else [])


def test_basic_datatypes_of_each_comb() -> None:
    parts = (Comb(BASE, 4, 16, 4), Comb(BASE + 8, 8, 16, 4))
    swapped = (Comb(BASE + 8, 8, 16, 4), Comb(BASE, 4, 16, 4))
    for other, types, conflicts in (
        (swapped, ("MPI_DOUBLE", INT), False),
        (swapped, (INT, "MPI_DOUBLE"), True),
        (parts, (INT, "MPI_DOUBLE"), False),
    ):
        program = Program(3)
        program.sync("fence")
        program[0].accumulate(2, parts, "MPI_SUM", (INT, "MPI_DOUBLE"))
        program[1].accumulate(2, other, "MPI_SUM", types)
        program.sync("fence")
        assert bool(found(program)) == conflicts


_SUM, _READ = "MPI_SUM", "MPI_NO_OP"
_ODD = (0, 4, 6, 2)  # elements at 0 and 6


@pytest.mark.parametrize(
    ("some", "line"),
    [
        ([(0, _SUM, (0,)), (1, _SUM, (2,))], "0 get_accumulate@1 [2,4) of 2, unordered"),
        ([(0, _SUM, (0,)), (0, _SUM, (2,))], "0 get_accumulate@0 [2,4) of 2, pending"),
        ([(0, _SUM, (0,)), (1, _READ, (2,))], "0 get_accumulate@1 [2,4) of 2, unordered"),
        ([(0, _READ, (0,)), (1, _READ, (2,))], ""),
        ([(0, _SUM, _ODD), (1, _SUM, (4,))], "0 get_accumulate@1 [6,8) of 2, unordered"),
        ([(0, _SUM, _ODD), (1, _SUM, (6,))], ""),
        ([(0, _SUM, (0, 8)), (1, _SUM, (4,))], ""),
        ([(0, _SUM, (0, 4, 8, 4)), (1, _SUM, (4, 4, 8, 4))], ""),
        ([(0, _SUM, (0, 4, 6, 4)), (1, _SUM, (12,))], ""),
        (
            [(0, _SUM, (18, 4, -6, 4)), (1, _SUM, (20,))],
            "0 get_accumulate@1 [20,22) of 2, unordered",
        ),
    ],
)
def test_elements_of_accumulates_at_other_displacements(
    some: list[tuple[int, str, tuple[int, ...]]], line: str
) -> None:
    program = Program(3)
    program.sync("fence")
    for origin, op, memory in some:
        program[origin].operation("get_accumulate", 2, at(*memory), op=op)
    program.sync("fence")
    assert found(program) == ([f"rma-accumulates: get_accumulate@{line}"] if line else [])


@pytest.mark.parametrize("other", [0, 2, 4])
def test_accumulates_take_the_place_of_earlier_ones_of_the_same_elements(other: int) -> None:
    # The second access covers all bytes of the first, but as another element.
    program = Program(3)
    program.sync("fence")
    program[0].accumulate(2, at(2))
    program[0].accumulate(2, at(0, 16))
    program[1].accumulate(2, at(other))
    program.sync("fence")
    of_one = "rma-accumulates: accumulate@0 accumulate@0 [2,6) of 2, pending"
    begin = {0: "2,4", 2: "2,6", 4: "4,6"}[other]
    of_two = f"rma-accumulates: accumulate@0 accumulate@1 [{begin}) of 2, unordered"
    assert found(program) == [of_one, of_two]


def test_elements_that_are_not_known_are_not_compared() -> None:
    # Size 0 stands for elements that mpipp does not know, for example of a datatype with gaps.
    program = Program(3)
    program.sync("fence")
    program[0].accumulate(2, at(0))
    other = program[1].accumulate(2, at(2))
    assert isinstance(other, Operation)
    program[1].events[-1] = other._replace(size=0)
    program.sync("fence")
    assert found(program) == []


def test_columns_that_interleave() -> None:
    for shift, expected in ((8, []), (4, ["rma-target: put@0 put@1 [4,8) of 2, unordered"])):
        program = Program(3)
        program.sync("fence")
        program[0].put(2, at(0, 8, 16, 100))
        program[1].put(2, at(shift, 8, 16, 100))
        program.sync("fence")
        assert found(program) == expected


def test_accumulates_of_two_windows_are_not_atomic_together() -> None:
    program = Program(3, windows=2)
    for window in (1, 2):
        program.sync("fence", window=window)
    program[0].operation("accumulate", 2, at(0), window=1)
    program[1].operation("accumulate", 2, at(0), window=2)
    for window in (1, 2):
        program.sync("fence", window=window)
    assert found(program) == ["rma-accumulates: accumulate@0 accumulate@1 [0,4) of 2, unordered"]


# Facts that the log cannot show.


def test_what_was_forgotten_before_its_end_is_not_pending_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mpipp.analysis.rma_engine.conflicts.search.SWEEP", 0)
    monkeypatch.setattr("mpipp.analysis.rma_engine.conflicts.search.MOST_KEPT", 2)
    program = Program(2, separate=True)
    program.sync("lock_all")
    program[0].put(1, at(0))
    program[0].get(1, at(8))
    program.sync("unlock_all")
    program.barrier()
    program.sync("lock_all")
    program[1].sync("sync")
    program[1].store(at(16))
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    assert result.forgotten
    assert result.conflicts == []


def test_operations_of_unknown_bytes_are_counted_and_may_be_flags() -> None:
    program = Program(2)
    program.sync("lock_all")
    program[0].put(1, at(0))
    program[0].sync("flush", 1)
    program[0].accumulate(1, UNKNOWN)
    program[0].sync("flush", 1)
    program[1].operation("fetch_and_op", 1, at(8), op="MPI_NO_OP")
    program[1].sync("flush", 1)
    program[1].get(1, at(0))
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    assert (result.unknown, result.conflicts, len(result.undecided)) == (1, [], 1)


def test_flags_are_not_decided() -> None:
    for reads in (False, True):
        program = Program(2)
        program.sync("lock_all")
        program[0].put(1, at(0))
        program[0].sync("flush", 1)
        program[0].operation("accumulate", 1, at(64))
        program[0].sync("flush", 1)
        program[1].operation("fetch_and_op" if reads else "accumulate", 1, at(64))
        program[1].sync("flush", 1)
        program[1].load(at(0))
        program.sync("unlock_all")
        program.end()
        result = analyse(program.events())
        line = ["rma-local: put@0 load@1 [0,4) of 1, unordered"]
        assert [told(one) for one in result.conflicts] == ([] if reads else line)
        assert [told(one) for one in result.undecided] == (line if reads else [])


@pytest.mark.parametrize("reads", [False, True])
def test_flag_that_tells_the_origin_of_the_wait(reads: bool) -> None:
    program = Program(2, windows=2)
    program.sync("lock_all", window=2)
    program[1].sync("post", -1, (0,))
    program[0].sync("start", -1, (1,))
    program[0].put(1, at(0))
    program[0].sync("complete")
    program[1].sync("wait")
    program[1].operation("accumulate", 0, at(64), window=2)
    program[1].sync("flush", 0, window=2)
    program[0].operation("fetch_and_op" if reads else "accumulate", 0, at(64), window=2)
    program[0].sync("flush", 0, window=2)
    program[0].operation("put", 1, at(0), window=2)
    program.sync("unlock_all", window=2)
    program.end()
    result = analyse(program.events())
    line = ["rma-target: put@0 put@0 [0,4) of 1, pending"]
    assert [told(one) for one in result.conflicts] == ([] if reads else line)
    assert [told(one) for one in result.undecided] == (line if reads else [])


def test_flag_that_is_read_too_late() -> None:
    program = Program(2)
    program.sync("lock_all")
    program[0].put(1, at(0))
    program[0].sync("flush", 1)
    program[0].operation("accumulate", 1, at(64))
    program[0].sync("flush", 1)
    program[1].load(at(0))
    program[1].operation("fetch_and_op", 1, at(64))
    program[1].sync("flush", 1)
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    assert [told(one) for one in result.conflicts] == [
        "rma-local: put@0 load@1 [0,4) of 1, unordered"
    ]


def test_nothing_is_told_of_what_missing_events_may_order() -> None:
    program = Program(2)
    program.sync("lock_all")
    program[0].put(1, at(0))
    program[0].sync("flush", 1)
    program.message(0, 1)
    program[1].load(at(0))
    program.sync("unlock_all")
    events: dict[int, list[Event]] = program.events()
    events[0] = events[0][:-2]  # the log of process 0 ends before the send
    result = analyse(events)
    assert result.conflicts == []
    assert result.cut[1] is events[1][1]


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


def test_events_that_cannot_be_end_their_process() -> None:
    program = Program(2)
    program.sync("lock_all")
    last = program[0].events[-1]
    program[0].put(7, at(0))
    program[0].sync("unlock_all")
    program[1].put(0, at(0))
    program[1].store(buffer(1))
    result = analyse(program.events())
    assert result.cut == {0: last, 1: program[1].events[-1]}
    assert len(result.conflicts) == 1


def test_flag_that_may_have_been_written_where_a_log_was_cut_off() -> None:
    for reads in (False, True):
        program = Program(2)
        program.sync("lock_all")
        program[0].put(1, at(0))  # the log of process 0 ends here
        if reads:
            program[1].operation("fetch_and_op", 1, at(64))
            program[1].sync("flush", 1)
        program[1].load(at(0))
        program[1].sync("unlock_all")
        result = analyse(program.events())
        line = ["rma-local: put@0 load@1 [0,4) of 1, unordered"]
        assert [told(one) for one in result.conflicts] == ([] if reads else line)
        assert [told(one) for one in result.undecided] == (line if reads else [])


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
