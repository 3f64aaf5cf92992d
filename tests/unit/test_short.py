# SPDX-License-Identifier: MIT
"""The selection of --short: its builds of MPI and its cases."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests import short

MACHINE, WHEELS = ("mpich4", "openmpi4"), ("mpich5", "openmpi5")
EACH = (*MACHINE, *WHEELS, short.ABI)
NAMES = [f"tests/test_some.py::test_{i}[-x]" for i in range(1000)]


class CallSpec:
    """The parameters of a test, as pytest stores them."""

    def __init__(self, mpi: str) -> None:
        self.params = {"mpi": mpi}


class Item:
    """The parts of a test that decide whether it is selected."""

    def __init__(self, name: str, build: str, case: str = "", *marks: pytest.MarkDecorator) -> None:
        self.nodeid = f"{name}[{build}{case and '-'}{case}]"
        self.callspec = CallSpec(build)
        self._marks = {one.name: one.mark for one in marks}

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self._marks.get(name)


def selected(items: list[Item]) -> list[Item]:
    out = cast("set[Any]", short.left_out(cast("list[pytest.Item]", items), MACHINE, WHEELS))
    return [item for item in items if item not in out]


def on_each(name: str, *marks: pytest.MarkDecorator, cases: tuple[str, ...] = ("",)) -> list[Item]:
    return [Item(name, build, case, *marks) for case in cases for build in EACH]


def builds(items: list[Item]) -> list[str]:
    return [item.callspec.params["mpi"] for item in items]


def family(build: str) -> str:
    return build.rstrip("0123456789")


def test_each_build_of_a_family_is_chosen_as_often() -> None:
    pairs = [tuple(short.chosen(name, MACHINE, WHEELS)) for name in NAMES]
    assert set(pairs) == {("mpich4", "openmpi5"), ("mpich5", "openmpi4")}
    assert 400 < pairs.count(("mpich4", "openmpi5")) < 600


def test_a_test_for_some_builds_runs_on_one_of_each_family() -> None:
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


def test_a_test_runs_on_one_build_and_the_first_of_a_folder_on_both_families() -> None:
    names = [f"tests/a/test_{i}.py::test" for i in range(400)]
    kept = selected([item for name in names for item in on_each(name)])
    first = [item for item in kept if item.nodeid.startswith(f"{names[0]}[")]
    others = builds([item for item in kept if item not in first])
    assert {family(build) for build in builds(first)} >= {"mpich", "openmpi"}
    assert all(70 < others.count(build) < 130 for build in (*MACHINE, *WHEELS))
    assert 20 < others.count(short.ABI) < 60
    assert len(others) - others.count(short.ABI) == 399


def test_a_list_has_two_cases_one_for_each_family() -> None:
    first = on_each("tests/a/test_a.py::test")
    listed = on_each("tests/a/test_b.py::test", cases=("a", "b", "c", "d"))
    whole = on_each("tests/a/test_c.py::test", pytest.mark.each_case, cases=("a", "b", "c"))
    kept = selected([*first, *listed, *whole])
    plain = [item for item in kept if item.callspec.params["mpi"] != short.ABI]
    of_list = [item for item in plain if item in listed]
    assert [item.nodeid[-2] for item in of_list] == ["a", "b"]
    assert [family(build) for build in builds(of_list)] == ["mpich", "openmpi"]
    assert [item.nodeid[-2] for item in plain if item in whole] == ["a", "b", "c"]


def test_markers() -> None:
    each = on_each("tests/a/test_a.py::test", pytest.mark.each_mpi)
    long = on_each("tests/a/test_b.py::test", pytest.mark.thorough)
    alone = [Item("tests/a/test_c.py::test", short.ABI)]
    shared = [
        item
        for i in range(9)
        for item in on_each(f"tests/a/test_d.py::test_{i}", pytest.mark.same_mpi("word"))
    ]
    kept = selected([*each, *long, *alone, *shared])
    assert [item for item in kept if item in each] == each
    assert not [item for item in kept if item in long]
    assert [item for item in kept if item in alone] == alone
    of_shared = builds([item for item in kept if item in shared])
    assert len({*of_shared[2:]} - {short.ABI}) == 1


def test_cases_of_a_list_take_builds_in_turn() -> None:
    assert [short.in_turn(i, MACHINE) for i in range(3)] == [MACHINE[:1], MACHINE[1:], MACHINE[:1]]
    assert [*short.in_turn(1, MACHINE[:1])] == ["mpich4"]
    assert [*short.in_turn(1, [])] == []
