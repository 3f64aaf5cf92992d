# SPDX-License-Identifier: MIT
"""Accumulates: which are atomic together, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from mpipp.analysis.rma_engine import analyse
from mpipp.model.rma_events import Comb, Operation
from tests.unit.analysis.rma.event_programs import (
    BASE,
    INT,
    Program,
    at,
    found,
    told,
)


@pytest.mark.parametrize(
    ("first", "second", "how", "conflicts"),
    [
        (("MPI_SUM", INT), ("MPI_SUM", INT), {}, False),
        (("MPI_SUM", INT), ("MPI_PROD", INT), {}, True),
        (("MPI_SUM", INT), ("MPI_SUM", "MPI_UNSIGNED"), {}, True),
        (("MPI_SUM", INT), ("MPI_NO_OP", INT), {}, False),
        (("MPI_SUM", INT), ("MPI_NO_OP", INT), {"accumulate_ops": "same_op"}, True),
        (("MPI_NO_OP", INT), ("MPI_NO_OP", "MPI_UNSIGNED"), {}, False),
    ],
)
def test_accumulates(
    first: tuple[str, str], second: tuple[str, str], how: dict[str, Any], conflicts: bool
) -> None:
    program = Program(3, **how)
    program.sync("fence")
    for origin, (op, type_) in enumerate((first, second)):
        program[origin].operation("get_accumulate", 2, at(0), op=op, types=[type_])
    program.sync("fence")
    result = analyse(program.events())
    assert [told(one) for one in result.conflicts] == (
        ["rma-accumulates: get_accumulate@0 get_accumulate@1 [0,4) of 2, unordered"]
        if conflicts
        else []
    )


@pytest.mark.parametrize(
    ("keys", "kinds", "conflicts"),
    [
        (("rar", "raw", "war", "waw"), ("accumulate", "accumulate"), False),
        (("waw",), ("accumulate", "accumulate"), False),
        (("rar", "raw", "war"), ("accumulate", "accumulate"), True),
        ((), ("accumulate", "accumulate"), True),
        (("waw", "war"), ("get_accumulate", "accumulate"), False),
        (("waw", "raw"), ("get_accumulate", "accumulate"), True),
        (("waw", "raw"), ("accumulate", "get_accumulate"), False),
        (("waw", "raw", "war"), ("get_accumulate", "get_accumulate"), True),
    ],
)
def test_order_of_accumulates(
    keys: tuple[str, ...], kinds: tuple[str, str], conflicts: bool
) -> None:
    program = Program(2, accumulate_ordering=frozenset(keys))
    program.sync("fence")
    for kind, op in zip(kinds, ("MPI_SUM", "MPI_PROD")):
        program[0].operation(kind, 1, at(0), op=op)
    program.sync("fence")
    line = f"rma-accumulates: {kinds[0]}@0 {kinds[1]}@0 [0,4) of 1, pending"
    assert found(program) == ([line] if conflicts else [])


def test_basic_datatypes_of_each_comb() -> None:
    parts = (Comb(BASE, 4, 16, 4), Comb(BASE + 8, 8, 16, 4))
    swapped = (Comb(BASE + 8, 8, 16, 4), Comb(BASE, 4, 16, 4))
    for other, types, conflicts in (
        (swapped, ("MPI_DOUBLE", INT), False),
        (swapped, (INT, "MPI_DOUBLE"), True),
        (parts, (INT, "MPI_DOUBLE"), False),
    ):
        program = Program(3)
        program.sync("fence")
        program[0].accumulate(2, parts, "MPI_SUM", (INT, "MPI_DOUBLE"))
        program[1].accumulate(2, other, "MPI_SUM", types)
        program.sync("fence")
        assert bool(found(program)) == conflicts


_SUM, _READ = "MPI_SUM", "MPI_NO_OP"


_ODD = (0, 4, 6, 2)  # elements at 0 and 6


@pytest.mark.parametrize(
    ("some", "line"),
    [
        ([(0, _SUM, (0,)), (1, _SUM, (2,))], "0 get_accumulate@1 [2,4) of 2, unordered"),
        ([(0, _SUM, (0,)), (0, _SUM, (2,))], "0 get_accumulate@0 [2,4) of 2, pending"),
        ([(0, _SUM, (0,)), (1, _READ, (2,))], "0 get_accumulate@1 [2,4) of 2, unordered"),
        ([(0, _READ, (0,)), (1, _READ, (2,))], ""),
        ([(0, _SUM, _ODD), (1, _SUM, (4,))], "0 get_accumulate@1 [6,8) of 2, unordered"),
        ([(0, _SUM, _ODD), (1, _SUM, (6,))], ""),
        ([(0, _SUM, (0, 8)), (1, _SUM, (4,))], ""),
        ([(0, _SUM, (0, 4, 8, 4)), (1, _SUM, (4, 4, 8, 4))], ""),
        ([(0, _SUM, (0, 4, 6, 4)), (1, _SUM, (12,))], ""),
        (
            [(0, _SUM, (18, 4, -6, 4)), (1, _SUM, (20,))],
            "0 get_accumulate@1 [20,22) of 2, unordered",
        ),
    ],
)
def test_elements_of_accumulates_at_other_displacements(
    some: list[tuple[int, str, tuple[int, ...]]], line: str
) -> None:
    program = Program(3)
    program.sync("fence")
    for origin, op, memory in some:
        program[origin].operation("get_accumulate", 2, at(*memory), op=op)
    program.sync("fence")
    assert found(program) == ([f"rma-accumulates: get_accumulate@{line}"] if line else [])


@pytest.mark.parametrize("other", [0, 2, 4])
def test_accumulates_take_the_place_of_earlier_ones_of_the_same_elements(other: int) -> None:
    # The second access covers all bytes of the first, but as another element.
    program = Program(3)
    program.sync("fence")
    program[0].accumulate(2, at(2))
    program[0].accumulate(2, at(0, 16))
    program[1].accumulate(2, at(other))
    program.sync("fence")
    of_one = "rma-accumulates: accumulate@0 accumulate@0 [2,6) of 2, pending"
    begin = {0: "2,4", 2: "2,6", 4: "4,6"}[other]
    of_two = f"rma-accumulates: accumulate@0 accumulate@1 [{begin}) of 2, unordered"
    assert found(program) == [of_one, of_two]


def test_elements_that_are_not_known_are_not_compared() -> None:
    # Size 0 stands for elements that mpipp does not know, for example of a datatype with gaps.
    program = Program(3)
    program.sync("fence")
    program[0].accumulate(2, at(0))
    other = program[1].accumulate(2, at(2))
    assert isinstance(other, Operation)
    program[1].events[-1] = other._replace(size=0)
    program.sync("fence")
    assert found(program) == []


def test_columns_that_interleave() -> None:
    for shift, expected in ((8, []), (4, ["rma-target: put@0 put@1 [4,8) of 2, unordered"])):
        program = Program(3)
        program.sync("fence")
        program[0].put(2, at(0, 8, 16, 100))
        program[1].put(2, at(shift, 8, 16, 100))
        program.sync("fence")
        assert found(program) == expected


def test_accumulates_of_two_windows_are_not_atomic_together() -> None:
    program = Program(3, windows=2)
    for window in (1, 2):
        program.sync("fence", window=window)
    program[0].operation("accumulate", 2, at(0), window=1)
    program[1].operation("accumulate", 2, at(0), window=2)
    for window in (1, 2):
        program.sync("fence", window=window)
    assert found(program) == ["rma-accumulates: accumulate@0 accumulate@1 [0,4) of 2, unordered"]
