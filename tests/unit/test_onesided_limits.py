# SPDX-License-Identifier: MIT
"""What is kept of many alike, how often it is told, and that time does not grow with the square."""

from __future__ import annotations

from onesided_programs import Program, at, told

from mpipp.model.onesided import Event, Memory
from mpipp.onesided import analyse
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
