# SPDX-License-Identifier: MIT
"""Facts that the log cannot show: flags, missing events, unknown bytes."""

from __future__ import annotations

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model.rma_events import UNKNOWN, Event
from tests.unit.analysis.rma.event_programs import (
    Program,
    at,
    buffer,
    told,
)


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
