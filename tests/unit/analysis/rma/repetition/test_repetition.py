# SPDX-License-Identifier: MIT
"""Repeated events are analysed once, and the findings are those of all events."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mpipp.analysis.rma_engine import Result, analyse
from mpipp.analysis.rma_engine.conflicts import search
from mpipp.model.rma_events import Attached, Memory
from tests import short
from tests.unit.analysis.rma.event_programs import Program, Rank, at, buffer
from tests.unit.analysis.rma.repetition.looped_programs import difference
from tests.unit.analysis.rma.repetition.repeated_events import RepeatedEvents

TURNS = 200


def run(program: Program) -> tuple[Result, int]:
    """The results, which must equal those of all events, and the number of skipped events."""
    program.end()
    repeated = {rank: RepeatedEvents(some) for rank, some in program.events().items()}
    result = analyse(repeated)
    assert result == analyse(program.events())
    return result, sum(some.left_out for some in repeated.values())


def loop(program: Program, body: Callable[[int], None]) -> None:
    """Add the body's events several times, each time at the same places."""
    places = program.places
    for turn in range(TURNS):
        program.places = places
        body(turn)


def test_iterations_with_fences_are_analysed_once() -> None:
    program = Program(3)
    program.sync("fence")

    def body(turn: int) -> None:
        for rank in range(3):
            program[rank].put((rank + 1) % 3, at(8 * rank), buffer(1))
        program.sync("fence")
        for rank in range(3):
            program[rank].load(at(0, 24))
        program.sync("fence")

    loop(program, body)
    result, left_out = run(program)
    assert not result.conflicts
    assert result.events == 3 * (3 + 4 * TURNS)
    assert left_out > 0.9 * result.events


def test_an_epoch_may_stay_open() -> None:
    program = Program(2)
    program.sync("lock_all")

    def body(turn: int) -> None:
        program[0].put(1, at(0), buffer(1))
        program.sync("flush_all")
        program.barrier()
        program[1].get(1, at(0), buffer(1))
        program.sync("flush_all")
        program.barrier()

    loop(program, body)
    program.sync("unlock_all")
    result, left_out = run(program)
    assert not result.conflicts
    assert left_out > 0.9 * result.events


def test_each_conflict_is_counted() -> None:
    program = Program(2)
    program.sync("fence")

    def body(turn: int) -> None:
        for rank in range(2):
            program[rank].put(0, at(0), buffer(1))
        program.sync("fence")

    loop(program, body)
    result, left_out = run(program)
    assert [one.times for one in result.conflicts] == [TURNS]
    assert left_out > 0.7 * result.events


def test_the_last_iteration_may_differ() -> None:
    program = Program(2)
    program.sync("fence")

    def body(turn: int) -> None:
        program[0].put(1, at(0), buffer(1))
        if turn == TURNS - 1:
            program[1].store(at(0))
        program.sync("fence")

    loop(program, body)
    result, left_out = run(program)
    assert [one.times for one in result.conflicts] == [1]
    assert left_out > 0.9 * result.events


def test_a_pending_operation_is_compared_with_each_iteration() -> None:
    program = Program(2)
    program.sync("lock_all")
    program[0].operation("put", 1, at(0), buffer(1), request=7)

    def body(turn: int) -> None:
        program[1].load(at(0))
        program.barrier()

    loop(program, body)
    program[0].completed(7)
    program.sync("unlock_all")
    result, left_out = run(program)
    assert [one.times for one in result.conflicts] == [TURNS]
    assert not left_out


def test_random_programs_in_loops() -> None:
    found = [difference(seed) for seed in range(short.some(60))]
    assert [wrong for _, wrong in found if wrong] == []
    assert sum(left_out > 0 for left_out, _ in found) >= short.some(6)


def test_iterations_with_many_accesses_are_analysed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Ended accesses are searched for in the middle of an iteration, too.
    monkeypatch.setattr(search, "SWEEP", 20)
    program = Program(2)
    program.sync("fence")

    def body(turn: int) -> None:
        for place in range(30):
            program[0].load(at(8 * place))
        program.sync("fence")

    loop(program, body)
    result, left_out = run(program)
    assert not result.conflicts
    assert left_out > 0.9 * result.events


@pytest.mark.parametrize("attached", [True, False])
def test_operations_on_a_dynamic_window_are_analysed_once(attached: bool) -> None:
    program = Program(2, flavor="dynamic", base=0, length=0)
    if attached:
        attach(program[1], at(0, 64))
    program.barrier()
    program.sync("lock_all")

    def body(turn: int) -> None:
        program[0].put(1, at(0), buffer(1))
        program.sync("flush_all")
        program.barrier()

    loop(program, body)
    program.sync("unlock_all")
    result, left_out = run(program)
    assert [one.rule for one in result.mistakes] == ([] if attached else ["rma-detached"])
    assert left_out > 0.9 * result.events


def test_a_turn_that_attaches_memory_is_analysed() -> None:
    program = Program(2, flavor="dynamic", base=0, length=0)
    program.sync("lock_all")

    def body(turn: int) -> None:
        if turn == TURNS // 2:
            attach(program[1], at(0, 64))
        program.barrier()
        program[0].put(1, at(0), buffer(1))
        program.sync("flush_all")
        program.barrier()

    loop(program, body)
    program.sync("unlock_all")
    result, left_out = run(program)
    assert [one.rule for one in result.mistakes] == ["rma-detached"]
    assert left_out > 0.8 * result.events


def attach(rank: Rank, memory: Memory) -> None:
    """Attach memory of a process to its window."""
    moment = rank.moment("MPI_Win_attach")
    rank.does(Attached(moment, 1, memory[0].first, memory[0].length))
