# SPDX-License-Identifier: MIT
"""What is kept of many alike, how often it is told, and that time does not grow with the square."""

from __future__ import annotations

import pytest
from onesided_programs import BASE, Program, at, told

from mpipp.model.onesided import Attached, Event, Memory, Operation
from mpipp.onesided import analyse, attached
from mpipp.onesided.conflicts import MOST_ALIKE


def of_line(program: Program, rank: int, place: int) -> Event:
    """The last event of a process, moved to a line that others are of."""
    event = program[rank].events[-1]
    program[rank].events[-1] = event._replace(moment=event.moment._replace(place=place))
    return event


def put(program: Program, rank: int, place: int, memory: Memory) -> None:
    """One of process 2's memory, complete, at a line."""
    program[rank].put(2, memory)
    of_line(program, rank, place)
    program[rank].sync("flush", 2)


def test_what_no_flag_orders_is_told_after_many_that_one_may_have() -> None:
    program = Program(3)
    program.sync("lock_all")
    for number in range(MOST_ALIKE + 1):
        data, flag = at(8 * number), at(512 + 8 * number)
        put(program, 0, 9001, data)
        if number < MOST_ALIKE:
            program[0].operation("accumulate", 2, flag, op="MPI_REPLACE")
            program[0].sync("flush", 2)
            program[1].operation("fetch_and_op", 2, flag, op="MPI_NO_OP")
            program[1].sync("flush", 2)
        put(program, 1, 9002, data)
    program.sync("unlock_all")
    program.end()
    (conflict,) = analyse(program.events()).conflicts
    assert conflict.times == 1
    first = 8 * MOST_ALIKE
    assert told(conflict) == f"rma-target: put@0 put@1 [{first},{first + 4}) of 2, unordered"


def test_two_that_lie_in_several_cells_are_told_once_each() -> None:
    program = Program(2)
    program.sync("lock_all")
    program.message(1, 0)  # the load is the last that is read
    for first in (300, 304):
        program[1].put(0, at(first, 300))
        of_line(program, 1, 9001)
    program[0].load(at(0, 1024))
    program.sync("unlock_all")
    program.end()
    (with_load, of_puts) = analyse(program.events()).conflicts
    assert told(with_load) == "rma-local: put@1 load@0 [300,600) of 0, unordered"
    assert (with_load.times, of_puts.times) == (2, 1)


def test_memory_that_is_never_attached_is_told_after_much_that_is() -> None:
    # What is read before its attachment does not take the room of what has none.
    program, number = Program(2, flavor="dynamic"), 40
    program.sync("lock_all")
    for at_ in range(number + 1):
        program[0].put(1, at(8 * at_))
        of_line(program, 0, 9001)
        program[0].sync("flush", 1)
    for at_ in range(number):
        moment = program[1].moment("MPI_Win_attach")
        program[1].does(Attached(moment, 1, BASE + 8 * at_, 8))
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    (mistake,) = result.mistakes
    assert isinstance(mistake.event, Operation)
    assert (mistake.rule, mistake.event.at_target) == ("rma-detached", at(8 * number))
    assert not result.forgotten


def test_what_is_too_much_to_wait_for_an_attachment_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attached, "MOST_DOUBTFUL", 4)
    program = Program(2, flavor="dynamic")
    program.sync("lock_all")
    for at_ in range(10):
        program[0].put(1, at(8 * at_))
    program.sync("unlock_all")
    program.end()
    result = analyse(program.events())
    assert (len(result.mistakes), result.forgotten) == (4, 6)


def test_a_lock_that_no_flag_orders_is_told_after_many_that_one_may_have() -> None:
    program, number = Program(3, windows=2), 20
    program.sync("lock_all", window=2)
    for which in range(number + 1):
        flag = at(8 * which)
        program[0].sync("lock", 1)
        of_line(program, 0, 9001)
        program[0].sync("unlock", 1)
        if which < number:
            program[0].operation("accumulate", 2, flag, op="MPI_REPLACE", window=2)
            program[0].sync("flush", 2, window=2)
            program[1].operation("fetch_and_op", 2, flag, op="MPI_NO_OP", window=2)
            program[1].sync("flush", 2, window=2)
        program[1].sync("post", -1, (2,))
        of_line(program, 1, 9002)
        program[2].sync("start", -1, (1,))
        program[2].sync("complete")
        program[1].sync("wait")
        program.message(1, 0)
    program.sync("unlock_all", window=2)
    program.end()
    mistakes = [one.rule for one in analyse(program.events()).mistakes]
    assert mistakes == ["rma-exposed"]
