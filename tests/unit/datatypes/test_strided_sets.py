# SPDX-License-Identifier: MIT
"""Strided blocks and their shared bytes, compared with sets of all their bytes."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Sequence

import pytest

from mpipp.datatypes.memory import intersection, strided_sets
from mpipp.datatypes.memory.bounded_sums import first_index, solve, sums
from mpipp.datatypes.memory.intersection import touch
from mpipp.datatypes.memory.strided_sets import (
    Comb,
    comb,
    contiguous_runs,
    repeat,
    run_count,
    union,
)
from tests.short import some

SEED = int(os.environ.get("MPIPP_SEED", "1"))
MOST = strided_sets.MOST_LISTED
Bytes = set[int]


def all_sums(terms: Sequence[tuple[int, int]]) -> Bytes:
    found = {0}
    for count, stride in terms:
        found = {value + i * stride for value in found for i in range(count)}
    return found


def test_sums_in_an_interval() -> None:
    print(f"seed {SEED}")
    numbers = random.Random(SEED)
    for _ in range(some(20_000)):
        terms = [
            (numbers.randint(1, 6), numbers.randint(-40, 40)) for _ in range(numbers.randint(0, 5))
        ]
        low = numbers.randint(-150, 150)
        high = low + numbers.choice((0, 0, 1, 2, 5, 20))
        expected = sorted(value for value in all_sums(terms) if low <= value <= high)
        indices = solve(terms, low, high)
        assert (indices is not None) == bool(expected), (terms, low, high)
        if indices is not None:
            assert all(0 <= i < count for i, (count, _) in zip(indices, terms))
            assert low <= sum(i * n for i, (_, n) in zip(indices, terms)) <= high
        assert sums(terms, low, high, 16) in (expected, None), (terms, low, high)


def test_the_first_multiple_in_an_interval() -> None:
    for modulus in range(1, 24):
        for step, start, high in itertools.product(*[range(modulus)] * 3):
            every = (x for x in range(modulus) if (step * x + start) % modulus <= high)
            assert first_index(step, start, modulus, high) == next(every, None)


class Maker:
    """Random strided blocks, with the sets of their bytes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def comb(self, depth: int) -> tuple[Comb | None, Bytes]:
        choice = self.random.random()
        if not depth or choice < 0.15:
            start, length = self.random.randint(-20, 20), self.random.choice((1, 1, 2, 3, 4, 8, 0))
            return comb(start, length, ()), set(range(start, start + length))
        return self._repeated(depth) if choice < 0.6 else self._union(depth)

    def _repeated(self, depth: int) -> tuple[Comb | None, Bytes]:
        base, touched = self.comb(depth - 1)
        dims = [
            (self.random.choice((0, 1, 2, 2, 3, 4, 5)), self.random.randint(-24, 24))
            for _ in range(self.random.randint(1, 2))
        ]
        start = self.random.randint(-9, 9)
        every = {value + start + more for value in touched for more in all_sums(dims)}
        return repeat(base, dims, start), every

    def _union(self, depth: int) -> tuple[Comb | None, Bytes]:
        parts: list[Comb | None] = []
        every: Bytes = set()
        for _ in range(self.random.randint(1, 5)):
            part, touched = self.comb(depth - 1)
            for _ in range(self.random.choice((1, 1, 3))):
                start = self.random.choice((0, self.random.randint(-60, 60)))
                parts.append(part and part.shift(start))
                every |= {value + start for value in touched}
        return union(parts), every


def check_form(made: Comb | None, every: Bytes) -> None:
    assert (made is None) == (not every)
    if made is None:
        assert run_count(made) == 0
        return
    assert (made.low, made.high) == (min(every), max(every) + 1)
    runs = contiguous_runs(made)
    assert runs is not None
    assert set(itertools.chain.from_iterable(range(*run) for run in runs)) == every
    assert all(before[1] < after[0] for before, after in zip(runs, runs[1:]))
    assert run_count(made) == len(runs)


# The limits of lists in use, and limits so small that only division and steps remain.
@pytest.mark.parametrize(
    ("pairs", "few", "most", "flat"),
    [(20_000, 16, MOST, 16), (4000, 0, 3, 2), (4000, 1, 0, 0), (4000, 0, 5, 64)],
)
def test_random_combs(
    monkeypatch: pytest.MonkeyPatch, pairs: int, few: int, most: int, flat: int
) -> None:
    pairs = some(pairs)
    print(f"seeds {SEED} to {SEED + pairs - 1}")
    monkeypatch.setattr(intersection, "_FEW", few)
    monkeypatch.setattr(strided_sets, "_FLAT", flat)
    overlaps = 0
    for number in range(SEED, SEED + pairs):
        maker = Maker(number)
        (first, one), (second, other) = maker.comb(number % 5), maker.comb(number // 5 % 5)
        monkeypatch.setattr(strided_sets, "MOST_LISTED", most)
        found = touch(first, second) if first and second else None
        monkeypatch.setattr(strided_sets, "MOST_LISTED", MOST)
        assert (found is not None) == bool(one & other), number
        if found:
            overlaps += 1
            assert found[0] < found[1], number
            assert one & other >= set(range(*found)), number
        check_form(first, one)
    assert pairs // 10 < overlaps < pairs - pairs // 10


def test_one_form() -> None:
    # Strides of any sign, dimensions that continue each other, and adjacent blocks.
    assert comb(8, 4, ((3, -4), (1, 7))) == Comb(0, 12)
    assert comb(0, 4, ((5, 80), (4, 20), (1, 9))) == Comb(0, 4, ((20, 20),))
    assert comb(0, 4, ((2, 0), (3, 8))) == Comb(0, 4, ((3, 8),))
    assert comb(0, 4, ((0, 8),)) is comb(0, 0, ()) is union([]) is None
    # Equal blocks at equal distances become one set, and so do two adjacent columns.
    assert union(Comb(16 * i, 8) for i in range(1000)) == Comb(0, 8, ((1000, 16),))
    assert union(Comb(8 * i, 8, ((9, 800),)) for i in range(2)) == Comb(0, 16, ((9, 800),))
    # A list that is repeated at equal distances becomes one set.
    base = union([Comb(0, 1), Comb(3, 2), Comb(9, 1)])
    assert base is not None
    made = union(repeat(base, ((10**6, 10**3),), 10**10 * i) for i in range(5))
    assert made is not None
    assert made.dims == ((10**6, 10**3), (5, 10**10))
    assert run_count(made) == 15 * 10**6


def test_ten_to_the_nine_blocks_with_coprime_strides() -> None:
    first = comb(0, 4, ((10**9, 8 * 1000003),))
    second = comb(0, 4, ((10**9, 8 * 1000033),))
    assert first is not None
    assert second is not None
    assert touch(first, second.shift(4)) is None
    found = touch(first, second.shift(8))
    assert found is not None
    start, end = found
    assert start % (8 * 1000003) == (start - 8) % (8 * 1000033) == 0
    assert end == start + 4


def irregular(number: int, parity: int) -> list[tuple[int, int]]:
    numbers = random.Random(1)
    places = itertools.accumulate(numbers.randint(2, 30) for _ in range(2 * number))
    return [(place, place + 1) for place in itertools.islice(places, parity, None, 2)]


@pytest.mark.parametrize("repetitions", [1, 1000])
def test_long_lists_that_interleave(repetitions: int) -> None:
    lists = [union(Comb(a, b - a) for a, b in irregular(100_000, parity)) for parity in (0, 1)]
    assert lists[0] is not None
    period = lists[0].high + 100
    first, second = (repeat(part, ((repetitions, period),)) for part in lists)
    assert first is not None
    assert second is not None
    assert touch(first, second) is None
    last = irregular(100_000, 1)[-1][0] + (repetitions - 1) * period
    assert touch(second, Comb(last, 1)) == (last, last + 1)
    more = union([first, Comb(last, 1)])
    assert more is not None
    assert touch(more, second) == (last, last + 1)


def test_many_combs_of_one_list() -> None:
    # All are different, and their bounding boxes overlap: a tree of boxes finds the right set.
    made = union(Comb(1000 * i, 1, ((3, 400_000 + i),)) for i in range(1000))
    assert made is not None
    assert touch(made, Comb(1000 * 700 + 2 * 400_700, 5)) == (1501400, 1501401)
    assert touch(made, Comb(1000 * 700 + 2 * 400_700 + 1, 5)) is None
