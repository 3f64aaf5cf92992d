# SPDX-License-Identifier: MIT
"""The MPI builds that tests use when each test runs on one build of each family."""

from __future__ import annotations

from tests import short

MACHINE, WHEELS = ("mpich4", "openmpi4"), ("mpich5", "openmpi5")
NAMES = [f"tests/test_some.py::test_{i}[-x]" for i in range(1000)]


def test_each_runs_on_both_families() -> None:
    pairs = [tuple(short.chosen(name, MACHINE, WHEELS)) for name in NAMES]
    assert set(pairs) == {("mpich4", "openmpi5"), ("mpich5", "openmpi4")}
    assert 400 < pairs.count(("mpich4", "openmpi5")) < 600


def test_what_is_for_some_of_them_runs_on_one_of_each_family() -> None:
    found = {
        tuple(short.chosen(name, *builds))
        for name in NAMES
        for builds in ((["openmpi4"], ["openmpi5"]), (MACHINE, ["mpich5"]), (MACHINE, []))
    }
    assert found == {
        *(("openmpi4",), ("openmpi5",)),
        *(("mpich4", "openmpi4"), ("mpich5", "openmpi4")),
        *(("mpich4",), ("openmpi4",)),
    }
    assert short.chosen(NAMES[0], [], []) == []


def test_cases_of_a_test_take_them_in_turn() -> None:
    assert [short.in_turn(i, MACHINE) for i in range(3)] == [MACHINE[:1], MACHINE[1:], MACHINE[:1]]
    assert [*short.in_turn(1, MACHINE[:1])] == ["mpich4"]
    assert [*short.in_turn(1, [])] == []
