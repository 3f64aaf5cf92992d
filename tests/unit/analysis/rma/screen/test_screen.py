# SPDX-License-Identifier: MIT
"""The screen of RMA logs loses no findings, and knows the usual programs."""

from __future__ import annotations

import re

import pytest

from benchmarks.onesided import PROGRAMS, RANKS
from mpipp.analysis.rma_engine import analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Received, Sent
from mpipp.registry.rma_log import screen_library
from mpipp.registry.rma_log.reading_progress import PROGRESS
from tests import short
from tests.support import ROOT
from tests.unit.analysis.rma.event_programs import BASE, BUFFERS, Program, at, buffer
from tests.unit.analysis.rma.screen.screened_programs import (
    compare,
    difference,
    is_clean,
    reason,
)
from tests.unit.analysis.rma.screen.written_logs import Written


def test_no_findings_are_lost() -> None:
    found, clean, certain = [], 0, 0
    for seed in range(short.some(300)):
        some, known, wrong = difference(seed)
        clean += some
        certain += known
        found += [wrong] * bool(wrong)
    assert found == []
    # The random programs must include enough that the screen knows to be clean.
    assert certain > clean / 4 > 0


def test_a_log_has_the_events_that_were_written() -> None:
    program = Program(2)
    program.sync("fence")
    program[0].put(1, at(0, 8))
    program[1].operation("get_accumulate", 0, at(16, 4, 8, 3))
    program.sync("fence")
    program.message(0, 1)
    program.collective("ring")
    program[1].store(at(4, 4, 12, 3))
    program.end()
    read = Written(program.events()).events()
    for rank, events in program.events().items():
        for one, other in zip(events, read[rank]):
            assert type(one) is type(other)
            if isinstance(one, (m.Access, m.Collective, Received, Sent)):
                assert one[1:] == other[1:]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_of_the_benchmark_are_clean(name: str) -> None:
    events = {rank: list(PROGRAMS[name](rank, 3000)) for rank in RANKS}
    assert compare(events) == (True, True)


def _locked_puts(exclusive: bool, reads: bool) -> Program:
    program = Program(3)
    for rank in (1, 2):
        program[rank].sync("lock", 0, exclusive=exclusive)
        if reads:
            program[rank].get(0, at(0))
            program[rank].sync("flush", 0)
        program[rank].put(0, at(0))
        program[rank].sync("unlock", 0)
    program.end()
    return program


@pytest.mark.parametrize(
    ("exclusive", "reads", "clean"),
    [(True, True, True), (True, False, False), (False, True, False)],
)
def test_exclusive_locks(exclusive: bool, reads: bool, clean: bool) -> None:
    assert compare(_locked_puts(exclusive, reads).events()) == (clean, clean)


def _stack_buffer(later: int) -> Program:
    # A buffer of a function, whose frame is at 0x80000, and a flush in a frame at `later`.
    program = Program(2)
    program[0].sync("lock", 1)
    put = program[0].put(1, at(0), (m.Comb(BUFFERS + 64, 4),))
    flush = program[0].sync("flush", 1)
    program[0].sync("unlock", 1)
    events = program[0].events
    assert isinstance(put, m.Operation) and isinstance(flush, m.Synchronization)
    events[events.index(put)] = put._replace(frame=BUFFERS)
    events[events.index(flush)] = flush._replace(frame=later)
    program.end()
    return program


def test_a_buffer_of_a_function_that_has_returned() -> None:
    assert compare(_stack_buffer(BUFFERS).events()) == (True, True)
    assert compare(_stack_buffer(BUFFERS + 128).events()) == (False, False)


def test_an_operation_with_a_request_in_an_active_target_epoch() -> None:
    for procedure, clean in (("MPI_Put", True), ("MPI_Rput", False)):
        program = Program(2)
        program.sync("fence")
        put = program[0].put(1, at(0))
        moment = put.moment._replace(procedure=procedure)
        program[0].events[-1] = put._replace(moment=moment)
        program.sync("fence", "MPI_MODE_NOSUCCEED")
        program.end()
        assert compare(program.events()) == (clean, clean)


def test_memory_that_is_freed_too_early() -> None:
    for where, clean in ((BUFFERS, True), (BASE, False)):
        program = Program(2)
        program[0].does(m.MemoryFreed(program[0].moment("free"), where, where + 16))
        program.end()
        assert compare(program.events()) == (clean, clean)


def test_a_damaged_log_is_not_certain() -> None:
    program = Program(2)
    program[0].sync("lock_all")
    program[0].put(1, at(0), buffer(1))
    program[0].sync("unlock_all")
    program.end()
    whole = Written(program.events())
    assert is_clean(analyse(whole.events())) and not reason(whole)
    words = whole.logs[0].words
    for number in range(len(words)):
        for wrong in (0, 1 << 63, words[number] ^ 1 << 8, 0xFFFFFFFFFFFFFFFF):
            damaged = Written(program.events())
            damaged.logs[0].words[number] = wrong
            if not reason(damaged):
                assert is_clean(analyse(damaged.events())), number
    for length in range(len(words)):
        cut = Written(program.events())
        del cut.logs[0].words[length:]
        assert reason(cut)


def test_the_progress_of_the_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = list[int]()
    monkeypatch.setattr(PROGRESS, "show", shown.append)
    PROGRESS.begin()
    written = Written({rank: PROGRAMS["counters"](rank, 20_000) for rank in RANKS})
    analyse(written.events())
    assert shown == sorted(set(shown)) and len(shown) > 10
    assert 75 < shown[-1] <= 100


def test_the_library_has_the_same_numbers() -> None:
    header = (ROOT / "wrapper" / "rma_screen" / "screen.h").read_text()
    (listed,) = re.findall(r"enum mpipp_screen_procedure \{(.*?)\};", header, re.DOTALL)
    names = re.findall(r"MPIPP_SCREEN_(\w+),", listed)
    for name, number in screen_library.PROCEDURES.items():
        assert names[number] == name.upper().replace("WIN_", ""), name


def test_a_missing_library() -> None:
    assert screen_library.load("/nowhere/libmpipp_screen.so") is None
