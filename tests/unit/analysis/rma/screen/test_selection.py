# SPDX-License-Identifier: MIT
"""The entries that the screen selects give the findings of all entries."""

from __future__ import annotations

import re

import pytest

from benchmarks.onesided import PROGRAMS, RANKS, racing
from mpipp.analysis.rma_engine import Result, analyse
from mpipp.analysis.rma_engine.conflicts.search import MOST_ALIKE
from mpipp.analysis.rma_engine.process_clock import TURN
from mpipp.model import rma_events as m
from mpipp.registry.rma_log import screen_library
from mpipp.registry.rma_log.decode_entries import STEPS
from tests import short
from tests.support import ROOT
from tests.unit.analysis.rma.event_programs import Program, at, buffer
from tests.unit.analysis.rma.screen.screened_programs import (
    lost,
    selected,
    suspicious_difference,
)
from tests.unit.analysis.rma.screen.written_logs import Written


def test_random_programs_lose_no_findings() -> None:
    found = [suspicious_difference(seed) for seed in range(short.some(24))]
    assert [wrong for _, wrong in found if wrong] == []
    parts = [part for part, _ in found if part is not None]
    assert len(parts) > len(found) / 2
    assert min(parts) < 0.7


@pytest.mark.parametrize("name", PROGRAMS)
def test_few_entries_are_selected_for_one_conflict(name: str) -> None:
    part, wrong = lost({rank: [*racing(name, rank, 3000)] for rank in RANKS})
    assert not wrong
    assert part is not None and part < 0.5


def _result(program: Program) -> tuple[Result, float]:
    # The result from the selected entries, which must equal that of all, and their part.
    program.end()
    written = Written(program.events())
    found = selected(written)
    assert found is not None
    result, part = found
    assert result._replace(events=0) == analyse(written.events())._replace(events=0)
    return result, part


def test_an_epoch_that_reads_first() -> None:
    # Another place is read, so only the whole epoch shows that the order of the locks is harmless.
    for reads in (True, False):
        program = Program(3)
        for rank in (1, 2):
            program[rank].sync("lock", 0, exclusive=True)
            program[rank].store(buffer(rank))
            if reads:
                program[rank].get(0, at(100 + 4 * rank))
                program[rank].sync("flush", 0)
            program[rank].put(0, at(0))
            program[rank].sync("unlock", 0)
        # Another conflict, so that the screen selects entries.
        for rank in (1, 2):
            program[rank].sync("lock", 0)
            program[rank].put(0, at(200))
            program[rank].sync("unlock", 0)
        result, _ = _result(program)
        assert len(result.locks) == (not reads)


def test_flags_of_entries_that_are_left_out() -> None:
    # The counters may order the two puts, so the conflict stays undecided.
    for fetches in (True, False):
        program = Program(3)
        program.sync("lock_all")
        program[1].put(0, at(0))
        program[1].sync("flush_all")
        for rank in (1, 2):
            for _ in range(600):
                kind = "fetch_and_op" if fetches else "accumulate"
                program[rank].operation(kind, 0, at(8 + 4 * fetches))
                program[rank].sync("flush", 0)
        program[2].put(0, at(0))
        program.sync("unlock_all")
        result, part = _result(program)
        assert (len(result.conflicts), len(result.undecided)) == (not fetches, fetches)
        assert part < 0.1


def test_a_conflict_in_each_iteration_of_a_loop() -> None:
    program = Program(3)
    program.sync("fence")
    places = program.places
    for _ in range(200):
        program.places = places
        for rank in range(3):
            program[rank].put((rank + 1) % 3, at(16 + 4 * rank), buffer(1))
            program[rank].load(at(100, 24))
        for rank in range(2):
            program[rank].put(2, at(0), buffer(2))
        program.sync("fence")
    result, part = _result(program)
    assert [one.times for one in result.conflicts] == [200]
    assert part < 0.7


def test_the_last_accesses_of_many_lines_are_kept() -> None:
    # Each line loads the same bytes, and may poll. The last ones are compared with a put.
    program = Program(2)
    program.sync("lock_all")
    for _ in range(3 * MOST_ALIKE):
        program[1].load(at(0))
    last = program.places
    program[0].put(1, at(0))
    program.sync("unlock_all")
    result, _ = _result(program)
    loads = {
        side.event.moment.place
        for one in result.conflicts
        for side in (one.first, one.second)
        if isinstance(side.event, m.Access)
    }
    assert loads == {last - at for at in range(MOST_ALIKE + 1)}


def test_a_damaged_log_loses_no_findings() -> None:
    program = Program(2)
    program.sync("lock_all")
    for rank in range(2):
        program[rank].put(1, at(0), buffer(1))
        program[rank].sync("flush", 1)
        program[rank].put(0, at(8 + 8 * rank), buffer(1))
    program.sync("unlock_all")
    program.end()
    words = Written(program.events()).logs[0].words
    selections = 0
    for number in range(len(words)):
        for wrong in (0, 1 << 63, words[number] ^ 1 << 8, 0xFFFFFFFFFFFFFFFF):
            damaged = Written(program.events())
            damaged.logs[0].words[number] = wrong
            found = selected(damaged)
            if found is not None and found[0].has_only_conflicts:
                selections += 1
                expected = analyse(damaged.events())
                assert found[0]._replace(events=0) == expected._replace(events=0), number
    assert selections


def test_the_library_has_the_same_numbers() -> None:
    header = (ROOT / "wrapper" / "rma_screen" / "screen.h").read_text()

    def names(enumeration: str) -> list[str]:
        (listed,) = re.findall(rf"enum {enumeration} \{{(.*?)\}};", header, re.DOTALL)
        return [name.lower() for name in re.findall(r"MPIPP_SCREEN_(\w+)", listed)]

    assert f"MPIPP_SCREEN_TURN = {TURN // STEPS} " in header
    assert f"MPIPP_SCREEN_SELECTED = {screen_library.SELECTED} " in header
    assert names("mpipp_screen_flag") == [*m.FLAGS]
    assert names("mpipp_screen_use") == [*m.USES]
