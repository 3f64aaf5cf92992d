# SPDX-License-Identifier: MIT
"""The builds of MPI that tests run on where each runs on one of each family."""

from __future__ import annotations

from tests import short

MACHINE, WHEELS = ("mpich4", "openmpi4"), ("mpich5", "openmpi5")
NAMES = [f"tests/test_some.py::test_{i}[-x]" for i in range(1000)]


def test_each_runs_on_both_families() -> None:
    pairs = [tuple(short.chosen(name, MACHINE, WHEELS)) for name in NAMES]
    assert set(pairs) == {("mpich4", "openmpi5"), ("openmpi4", "mpich5")}
    assert 400 < pairs.count(("mpich4", "openmpi5")) < 600


def test_what_is_for_one_of_them_runs_on_it() -> None:
    for name in NAMES:
        assert short.chosen(name, ["openmpi4"], ["openmpi5"]) == ["openmpi4", "openmpi5"]
        assert short.chosen(name, [], []) == []
