# SPDX-License-Identifier: MIT
"""Some of the random programs for which `make fuzz` compares mpipp with the oracle."""

from __future__ import annotations

import pytest

from mpipp.analysis.rma_engine import analyse, check_process
from mpipp.analysis.rma_engine.conflicts import search
from tests import short
from tests.unit.analysis.rma.oracle import Oracle
from tests.unit.analysis.rma.random_programs import Made, alike, compare, exposed, keys


@pytest.mark.parametrize("sweep", [0, 4096])
def test_conflicts_are_those_of_the_oracle(sweep: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Drop past accesses at once or, in a program as small as this, never.
    monkeypatch.setattr(search, "SWEEP", sweep)
    found, compared, conflicting = [], 0, 0
    for seed in range(sweep, sweep + short.some(100)):
        wrong, number, bad = compare(seed)
        found += wrong
        compared += number
        conflicting += bad
    assert found == []
    # The random programs must include enough programs with conflicts, and enough without.
    assert compared > short.some(250)
    assert short.some(50) < conflicting < compared - short.some(50)


def test_windows_are_told_that_are_locked_and_exposed_at_once() -> None:
    told, expected = 0, 0
    for seed in range(short.some(150)):
        events = Made(seed).program().events()
        found, all_ = exposed(analyse(events)), Oracle(events).exposed()
        assert found <= all_, seed
        told += bool(found)
        expected += bool(all_)
    # mpipp does not report pairs that flags may have ordered.
    assert 0 < 0.5 * expected < told <= expected


def test_nothing_is_told_wrong_when_accesses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SWEEP", 0)
    monkeypatch.setattr(search, "MOST_KEPT", 5)
    forgotten = 0
    for seed in range(50):
        events = Made(seed).program().events()
        result = analyse(events)
        assert alike(keys(result, True)) <= alike(Oracle(events).conflicts())
        forgotten += result.forgotten
    assert forgotten


def test_what_one_process_knows_alone_is_what_all_know() -> None:
    told, expected = 0, 0
    for seed in range(short.some(100)):
        events = Made(seed).program().events()
        of_all = keys(analyse(events), True)
        for rank, some in events.items():
            conflicting, mistakes, _ = check_process(rank, some, some)
            alone = {(one.rule, rank, rank, one.owner) for one in conflicting}
            assert alone <= of_all, seed
            assert not mistakes
            told += len(alone)
            expected += len([one for one in of_all if one[1] == one[2] == rank])
    # An exclusive lock may order a target's accesses after operations that completed while it
    # waited.
    assert 0.95 * expected < told <= expected
