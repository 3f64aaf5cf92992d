# SPDX-License-Identifier: MIT
"""Call histories: later records of an ordinal count, and repetition does not hide errors."""

from __future__ import annotations

import random
from collections import Counter

from mpipp.analysis.messages.match_by_ordinal import Histories
from mpipp.model import Call, KeptCall, Stretch
from mpipp.registry.ledger.channel_history import CallsByWords, in_order


def _never(words: tuple[int, ...]) -> Call:
    raise AssertionError(words)


CALLS = [KeptCall(number, number, _never) for number in range(5)]


def drawn(chance: random.Random, first: int) -> Stretch:
    calls = tuple(chance.choices(CALLS, k=chance.randint(1, 4)))
    return Stretch(first, chance.randint(1, 12), calls)


def written_out(stretches: list[Stretch]) -> dict[int, KeptCall]:
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
        count = chance.randint(2, 3)
        histories = [random_history(chance) for _ in range(count)]
        least = chance.choice((2, count))
        every = [written_out(history) for history in histories]
        expected: Counter[object] = Counter()
        waiting: list[set[int]] = [set() for _ in every]
        for ordinal in sorted(set().union(*every)):
            of = [i for i, one in enumerate(every) if ordinal in one]
            if len(of) >= least:
                expected[tuple((i, every[i][ordinal]) for i in of)] += 1
            else:
                for i in of:
                    waiting[i].add(ordinal)
        together = Histories(count)
        found: Counter[object] = Counter()
        # Add the calls in the order in which they become known, and compare at some points.
        for cut in [*sorted(chance.sample(range(1, 60), 3 if least == count else 0)), 99]:
            for i, history in enumerate(histories):
                known = [s.part(s.first, min(s.end, cut)) for s in history if s.first < cut]
                together.waiting[i] += known
                histories[i] = [s.part(max(s.first, cut), s.end) for s in history if s.end > cut]
            for met in together.meet(least):
                found[tuple(zip(met.of, met.calls))] += met.times
        assert found == expected
        assert [set(written_out(one)) for one in together.waiting] == waiting


def words(*values: int) -> bytes:
    return b"".join(value.to_bytes(8, "little") for value in values)


def test_places_are_no_part_of_a_key() -> None:
    """The key of a call contains everything but two places: where the call was made, and where a
    persistent operation was started."""
    known = CallsByWords(_never, started=0x80)
    plain = known[words(1, 111, 0, 7, 8, 9)]
    assert plain.key == known[words(1, 222, 0, 7, 8, 9)].key
    assert plain.key != known[words(1, 111, 0, 7, 8, 10)].key
    started = known[words(1, 111, 0x80, 333, 7, 8, 9)]
    assert started.key == known[words(1, 222, 0x80, 444, 7, 8, 9)].key
    assert started.key not in (plain.key, known[words(1, 111, 0x80, 333, 7, 8, 10)].key)
    assert known[words(1)].key == words(1)  # this entry comes from a damaged history


def random_history(chance: random.Random) -> list[Stretch]:
    history: list[Stretch] = []
    for _ in range(chance.randint(1, 6)):
        end = history[-1].end if history else 1
        history.append(drawn(chance, end + chance.choice((0, 0, 0, 3))))
    return history
