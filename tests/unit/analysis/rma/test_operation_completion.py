# SPDX-License-Identifier: MIT
"""The calls that complete one-sided operations, at the origin and at the target."""

from __future__ import annotations

import pytest

from mpipp.model.rma_events import Attached
from tests.unit.analysis.rma.event_programs import INT, Program, at, buffer, found
from tests.unit.analysis.rma.oracle import Oracle


@pytest.mark.parametrize(
    ("kind", "local", "remote"),
    [("flush", 1, 1), ("flush_all", 1, 1), ("flush_local", 1, 0), ("flush_local_all", 1, 0)],
)
def test_what_a_flush_completes(kind: str, local: bool, remote: bool) -> None:
    program = Program(2)
    program.sync("lock_all")
    program[0].put(1, at(0), buffer(1))
    program[0].sync(kind, -1 if "all" in kind else 1)
    program[0].store(buffer(1))
    program[0].get(1, at(0), buffer(2))
    program.sync("unlock_all")
    lines = found(program)
    assert ("rma-buffer: put@0 store@0 4 bytes of 0, pending" in lines) != local
    assert ("rma-target: put@0 get@0 [0,4) of 1, pending" in lines) != remote


def test_request_completes_at_the_origin_only() -> None:
    program = Program(2)
    program.sync("lock_all")
    program[0].operation("put", 1, at(0), buffer(1), request=1)
    program[0].operation("get", 1, at(8), buffer(2), request=2)
    program[0].completed(1, 2)
    program[0].store(buffer(1))
    program[0].load(buffer(2))
    program[0].put(1, at(8))  # the bytes that the get has read
    program[0].put(1, at(0))
    program.sync("unlock_all")
    assert found(program) == ["rma-target: put@0 put@0 [0,4) of 1, pending"]


def test_complete_ends_puts_at_the_origin_and_wait_at_the_target() -> None:
    program = Program(2)
    program[1].store(at(0))
    program[1].sync("post", -1, (0,))
    program[0].sync("start", -1, (1,))
    program[0].put(1, at(0), buffer(1))
    program[0].sync("complete")
    program[0].store(buffer(1))
    program.message(0, 1)
    program[1].load(at(0))
    program[1].sync("wait")
    program[1].load(at(0))
    assert found(program) == ["rma-local: put@0 load@1 [0,4) of 1, incomplete"]


@pytest.mark.parametrize("kind", ["get", "fetch_and_op", "get_accumulate", "put"])
def test_what_an_operation_has_brought_tells_of_the_post(kind: str) -> None:
    # At MPI_Win_complete, the old value from an accumulate has arrived, like the result of a get.
    program = Program(2, windows=2)
    program[1].store(at(0))
    program[1].sync("post", -1, (0,))
    program[0].sync("start", -1, (1,))
    program[0].operation(kind, 1, at(64))
    program[0].sync("complete")
    program[0].sync("lock", 1, window=2)
    program[0].operation("put", 1, at(0), window=2)
    program[0].sync("unlock", 1, window=2)
    program[1].sync("wait")
    line = "rma-local: put@0 store@1 [0,4) of 1, unordered"
    assert found(program) == ([line] if kind == "put" else [])


@pytest.mark.parametrize("op", ["MPI_NO_OP", "MPI_SUM"])
@pytest.mark.parametrize("how", ["flush_local", "request", "complete"])
def test_what_only_reads_is_over_once_it_is_here(how: str, op: str) -> None:
    program, request = Program(2), 0
    if how == "complete":
        program[1].sync("post", -1, (0,))
        program[0].sync("start", -1, (1,))
    else:
        program.sync("lock_all")
    if how == "request":
        request = program.request()
    program[0].operation("get_accumulate", 1, at(0), op=op, request=request)
    if how == "request":
        program[0].completed(request)
    else:
        program[0].sync(how, 1 if how == "flush_local" else -1)
    program.message(0, 1)
    program[1].store(at(0))
    if how == "complete":
        program[1].sync("wait")
    else:
        program.sync("unlock_all")
    line = "rma-local: get_accumulate@0 store@1 [0,4) of 1, incomplete"
    assert found(program) == ([line] if op == "MPI_SUM" else [])


@pytest.mark.parametrize("first", ["0 1", "1 0"])
@pytest.mark.parametrize("kind", ["put", "get"])
@pytest.mark.parametrize("ends", ["late", "flush", "unlock"])
def test_a_lock_protects_a_buffer_until_it_ends(ends: str, kind: str, first: str) -> None:
    # A buffer in the own window is in use until the operation completes, not until its lock ends.
    program = Program(2)
    one, other = map(int, first.split())
    program[one].sync("lock", one, exclusive=True)
    program[one].sync("lock", other)
    program[one].operation(kind, other, at(64), at(0))
    if ends == "flush":
        program[one].sync("flush", other)
    if ends == "unlock":
        program[one].sync("unlock", other)
    program[one].sync("unlock", one)
    if ends != "unlock":
        program[one].sync("unlock", other)
    program[other].sync("lock", one, exclusive=True)
    program[other].put(one, at(0))
    program[other].sync("unlock", one)
    line = f"rma-local: put@{other} {kind}@{one} [0,4) of {one}, unordered"
    assert found(program) == ([line] if ends == "late" else [])
    rules = {rule for rule, *_ in Oracle(program.events()).conflicts()}
    assert rules == ({"rma-local"} if ends == "late" else set())


@pytest.mark.parametrize("attached", [False, True])
@pytest.mark.parametrize("one", [0, 1])
def test_memory_becomes_a_window_while_an_operation_reads_it(one: int, attached: bool) -> None:
    program, other = Program(2), 1 - one
    program.sync("lock_all")
    program[one].put(other, at(0), buffer(1))
    base = buffer(1)[0].first
    if attached:
        program.make(2, flavor="dynamic", base=0, length=0)
        moment = program[one].moment("MPI_Win_attach")
        program[one].does(Attached(moment, 2, base, 64))
        program.barrier()
    else:
        program.make(2, base=base, length=64)
    program[one].sync("flush", other)
    program[other].sync("lock", one, window=2)
    program[other].operation("put", one, buffer(1), window=2)
    program[other].sync("unlock", one, window=2)
    program.sync("unlock_all")
    line = f"rma-local: put@{one} put@{other} 4 bytes of {one}, incomplete"
    assert found(program) == [line]


@pytest.mark.parametrize("second", ["get", "put"])
@pytest.mark.parametrize("how", ["flush", "sync", "unlock", "fence"])
def test_what_a_get_brings_into_the_own_window_others_see_later(how: str, second: str) -> None:
    # The data is in the private copy (separate model), like stored data.
    program = Program(3, separate=True)
    program.sync("fence" if how == "fence" else "lock_all")
    program[0].get(1, at(64), at(0))
    if how not in ("fence", "unlock"):
        program[0].sync("flush", 1)
    if how == "sync":
        program[0].sync("sync")
    if how == "unlock":
        program[0].sync("unlock_all")
        program[0].sync("lock_all")
    if how == "fence":
        program.sync("fence")
    program.message(0, 2)
    program[2].operation(second, 0, at(0))
    program.sync("fence" if how == "fence" else "unlock_all")
    line = f"rma-copies: get@0 {second}@2 [0,4) of 0, copies"
    assert found(program) == ([line] if how == "flush" else [])
    expected = {("rma-copies", 0, 2, 0)} if how == "flush" else set()
    assert Oracle(program.events()).conflicts() == expected


def test_what_only_reads_is_complete_before_an_update_that_began_earlier() -> None:
    # flush_local_all completes the fetch, sync makes it visible, and unlock_all completes the sum.
    program = Program(2, separate=True)
    program.sync("lock_all")
    program[0].operation("accumulate", 0, at(0), op="MPI_SUM", types=[INT])
    program[0].operation("fetch_and_op", 0, at(64), op="MPI_NO_OP", types=[INT])
    program[0].sync("flush_local_all")
    program[0].sync("sync")
    program.sync("unlock_all")
    program[0].store(at(128))
    assert found(program) == ["rma-copies: accumulate@0 store@0 [0,4) and [128,132) of 0, copies"]
