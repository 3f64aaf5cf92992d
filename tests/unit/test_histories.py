# SPDX-License-Identifier: MIT
"""Histories: what was said later of an ordinal counts; what met is found however it repeats."""

from __future__ import annotations

import random

from mpipp.checks.past import meetings
from mpipp.model import Call, Kept, Stretch
from mpipp.registry.ledger import in_order


def _never(words: tuple[int, ...]) -> Call:
    raise AssertionError(words)


CALLS = [Kept((number,), _never) for number in range(5)]


def drawn(chance: random.Random, first: int) -> Stretch:
    calls = tuple(chance.choices(CALLS, k=chance.randint(1, 4)))
    return Stretch(first, chance.randint(1, 12), calls)


def written_out(stretches: list[Stretch]) -> dict[int, Kept]:
    return {i: stretch.at(i) for stretch in stretches for i in range(stretch.first, stretch.end)}


def test_later_words_count() -> None:
    chance = random.Random(7)
    for _ in range(2000):
        said = [drawn(chance, chance.randint(1, 40)) for _ in range(chance.randint(1, 8))]
        found = in_order(said)
        assert written_out(found) == written_out(said)
        ends = [stretch.first for stretch in found[1:]]
        assert all(one.end <= first for one, first in zip(found, ends))


def test_meetings_are_all_that_met() -> None:
    chance = random.Random(8)
    for _ in range(2000):
        histories = []
        for _ in range(chance.randint(2, 3)):
            history: list[Stretch] = []
            for _ in range(chance.randint(1, 6)):
                end = history[-1].end if history else 1
                history.append(drawn(chance, end + chance.choice((0, 0, 0, 3))))
            histories.append(history)
        expected: dict[tuple[Kept, ...], int] = {}
        every = [written_out(history) for history in histories]
        for ordinal in set.intersection(*(set(one) for one in every)):
            calls = tuple(one[ordinal] for one in every)
            expected[calls] = expected.get(calls, 0) + 1
        found: dict[tuple[Kept, ...], int] = {}
        for met in meetings(histories):
            found[met.calls] = found.get(met.calls, 0) + met.times
        assert found == expected
