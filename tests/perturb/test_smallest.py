# SPDX-License-Identifier: MIT
"""The smallest schedule of one-sided operations that still fails: its search, and its text."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

from mpipp.cli.commands.run import minimize, perturbation_log
from mpipp.cli.commands.run.perturbation_log import Operation


def found(all_of: Sequence[int], needed: set[int]) -> tuple[Sequence[int], int]:
    asked = 0

    def fails(some: Sequence[int]) -> bool:
        nonlocal asked
        asked += 1
        return needed <= set(some)

    return minimize.smallest(all_of, fails), asked


def test_what_is_needed_is_found() -> None:
    assert found([7], {7}) == ([7], 0)
    assert found(range(1000), {613})[0] == range(613, 614)
    chance = random.Random(1)
    for size in (2, 3, 10, 64):
        for needs in range(1, 4):
            needed = set(chance.sample(range(size), min(needs, size)))
            kept, asked = found(range(size), needed)
            assert set(kept) == needed
            assert asked < 120


def test_a_search_that_is_ended_has_something() -> None:
    runs = 3

    def fails(some: Sequence[int]) -> bool:
        nonlocal runs
        if not runs:
            raise minimize.Spent
        runs -= 1
        return 99 in some

    assert minimize.smallest(range(100), fails) == range(50, 100)


def test_places_come_first() -> None:
    """A loop of a hundred operations counts as one item as long as its place matters as a whole."""
    all_of = [Operation(0, 1, 1), *(Operation(1, 2, time) for time in range(1, 101))]
    asked = []

    def fails(some: Sequence[Operation]) -> bool:
        asked.append(len(some))
        return Operation(1, 2, 30) in some

    assert minimize.operations(all_of, fails) == [Operation(1, 2, 30)]
    assert asked[:3] == [1, 100, 50]
    assert len(asked) < 20


def test_the_rule_that_names_operations() -> None:
    some = [(1, 2, 3), (0, 1, 1), (1, 2, 4), (1, 2, 5), (1, 3, 6)]
    assert minimize.word(Operation(*one) for one in some) == "0:1.1+1:2.3-5+1:3.6"


def test_lines_of_a_process() -> None:
    """A damaged line is ignored."""
    path = "/no/such/app"
    text = (
        f"op\t1\t1\tMPI_Put\t0\t1234\t{path}\n"
        f"op\t2\t12\tMPI_Rget\t3\t1300\t{path}\n"
        f"to\t1\t1\tMPI_Win_unlock\t2\t3\t64\t1\t1\t1400\t{path}\n"
        f"to\t9\t1\tMPI_Win_unlock\t2\t3\t64\t1\t1\t1400\t{path}\n"
        "op\t3\tx\n"
        "op\t4\t1\tMPI_Pu"
    )
    first, second = perturbation_log.read([(5, text.encode())]).values()
    assert str(first) == (
        "rank 5: MPI_Put to 0 at 0x1234: deferred to MPI_Win_unlock at 0x1400, its data copied at "
        "the local completion, 2nd of 3, in 64 parts, flushed"
    )
    assert str(second) == "rank 5: MPI_Rget to 3 at 0x1300, 12th time: never passed to MPI"
    once = first._replace(until=("MPI_Put", "0x1234"), of=1, is_copied=False, is_flushed=False)
    assert str(once) == "rank 5: MPI_Put to 0 at 0x1234: at once, in 64 parts"


def test_ordinals() -> None:
    def said(time: int) -> str:
        done = perturbation_log.Done(Operation(0, 1, time), "MPI_Get", 1, "a.c:1")
        return str(done).split(", ")[1]

    numbers = [2, 3, 4, 11, 12, 13, 21, 22, 101, 111, sys.maxsize]
    assert [said(number).split(" ")[0][-2:] for number in numbers] == (
        ["nd", "rd", "th", "th", "th", "th", "st", "nd", "st", "th", "th"]
    )
