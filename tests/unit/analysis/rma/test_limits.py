# SPDX-License-Identifier: MIT
"""Limits on equal conflicts: for storage, reports, and time, which must not be quadratic."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from mpipp.analysis.rma_engine import analyse, dynamic_windows
from mpipp.analysis.rma_engine.conflicts.search import MOST_ALIKE
from mpipp.model.rma_events import Attached, Comb, Event, Memory, Operation
from mpipp.registry.rma_log.entries import ANY
from tests.support import repeated
from tests.unit.analysis.rma.event_programs import BASE, Program, at, buffer, told
from tests.unit.registry.test_rma_log import KINDS, log, receives


def of_line(program: Program, rank: int, place: int) -> Event:
    """The last event of a process, moved to a line that other events share."""
    event = program[rank].events[-1]
    program[rank].events[-1] = event._replace(moment=event.moment._replace(place=place))
    return event


def put(program: Program, rank: int, place: int, memory: Memory) -> None:
    """A completed put into process 2's memory, at a given line."""
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
    program.message(1, 0)  # the load is read last
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
    # Reads before the attachment use no capacity that reads without one need.
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
    monkeypatch.setattr(dynamic_windows, "MOST_DOUBTFUL", 4)
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


def attached_and_used(number: int, *, detached: bool) -> Program:
    """Memory that is attached, used by a put, and perhaps detached, piece by piece."""
    program = Program(2, flavor="dynamic", base=0, length=0)
    program.sync("lock_all")
    for at_ in range(BASE, BASE + 64 * number, 64):
        program[0].does(Attached(program[0].moment("MPI_Win_attach"), 1, at_, 64))
        program.message(0, 1)
        program[1].put(0, (Comb(at_, 4),), buffer(1))
        program[1].sync("flush", 0)
        program.message(1, 0)
        if detached:
            program[0].does(Attached(program[0].moment("MPI_Win_detach"), 1, at_, 0, False))
    program.sync("unlock_all")
    program.end()
    return program


def many_windows(number: int) -> Program:
    """Windows over many pieces of memory, and operations on the first one."""
    program = Program(2)
    for which in range(number):
        program.make(2 + which, base=0x1000000 + 64 * which, length=64)
    program.sync("lock_all")
    for _ in range(number):
        program[1].put(0, at(0), buffer(1))
        program[1].sync("flush", 0)
    program.sync("unlock_all")
    for which in range(number):
        program.free(2 + which)
    program.end()
    return program


def seconds(work: Callable[[], object]) -> float:
    """The minimum of three times, in processor seconds."""
    found = []
    for _ in range(3):
        begin = time.process_time()
        work()
        found.append(time.process_time() - begin)
    return min(found)


@pytest.mark.parametrize("what", ["windows", *repeated("detached", "attached")])
def test_time_does_not_grow_with_the_square_of_pieces_of_memory(what: str) -> None:
    def took(number: int) -> float:
        if what == "windows":
            events = many_windows(number).events()
        else:
            events = attached_and_used(number, detached=what == "detached").events()
        return seconds(lambda: analyse(events))

    assert took(1600) < 64 * took(100)  # 16 times as many; quadratic time would be 256 times


@pytest.mark.parametrize("what", ["cancelled", "open"])
def test_time_does_not_grow_with_the_square_of_receives(what: str) -> None:
    def took(number: int) -> float:
        of: list[tuple[int, tuple[int, ...]]] = []
        for which in range(number):
            source = 3 if what == "cancelled" else ANY
            of.append((KINDS.receive, (7, source, which, 11 + which, 0, source, which)))
        for which in range(number):
            if what == "cancelled":
                own = (11 + number - 1 - which, 0, 0, KINDS.cancelled)
                of.append((KINDS.completed, own))
            else:
                of.append((KINDS.receive, (7, 3, number, 0, 0, 3, number)))
        words = log(*of)
        return seconds(lambda: receives(words))

    assert took(1600) < 64 * took(100)
