# SPDX-License-Identifier: MIT
"""Logs of one-sided communication: damaged, and with receives in any order."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest

from mpipp.registry.rma_log.entries import (
    ANY,
    Kinds,
    Message,
    Receives,
    end,
    entries,
    places,
)
from mpipp.registry.rma_log.repeated_entries import repetitions

KINDS = Kinds(*range(1, 1 + len(Kinds._fields)))._replace(
    synchronous=1, persistent=2, sends=4, takes=8, cancelled=16, probes=32, some=64, races=256
)


def log(*of: tuple[int, Sequence[int]]) -> array[int]:
    """A log with entries of one kind."""
    found = array("Q")
    for kind, own in of:
        found.extend((kind | (2 + len(own)) << 8 | 1 << 48, 0, *own))
    return found


def receives(words: array[int]) -> dict[int, list[Message | None]]:
    return Receives(entries(words, places(words, KINDS)), KINDS).ended_by


@pytest.mark.parametrize("count", [0, 1, 2, 4, 9, 0xFFFFFF])
def test_what_follows_an_entry_of_no_words_or_too_many_is_left_out(count: int) -> None:
    words = log((KINDS.freed, (1, 0)), (KINDS.ended, (0,)), (KINDS.freed, (2, 0)))
    words[4] = KINDS.ended | count << 8
    assert list(places(words, KINDS).all) == [0]
    assert end(words, places(words, KINDS)) == 4


def test_an_entry_has_as_many_words_as_its_kind() -> None:
    for kind, count in ((KINDS.window, 11), (KINDS.comm, 5), (KINDS.operation, 5)):
        assert list(places(log((kind, range(count))), KINDS).all) == [0]
        assert list(places(log((kind, range(count - 1))), KINDS).all) == []
    assert list(places(log((KINDS.window, range(12))), KINDS).all) == []
    assert list(places(log((KINDS.comm, range(11))), KINDS).all) == [0]


def test_receives_are_matched_in_the_order_of_posting() -> None:
    words = log(
        (KINDS.receive, (7, ANY, 5, 11, 0, ANY, 5)),
        (KINDS.receive, (7, 3, 5, 12, 0, 3, 5)),
        (KINDS.completed, (12, 3, 5, 0)),
        (KINDS.completed, (11, 3, 5, 0)),
    )
    assert receives(words) == {2: [Message(7, 3, 5, 1)], 3: [Message(7, 3, 5, 0, True)]}


def test_behind_a_receive_that_is_never_known_nothing_is_certain() -> None:
    words = log(
        (KINDS.receive, (7, ANY, 5, 11, 0, ANY, 5)),
        (KINDS.receive, (7, 3, 5, 0, 0, 3, 5)),
        (KINDS.receive, (7, 3, 6, 0, 0, 3, 6)),
    )
    assert receives(words) == {1: [None], 2: [Message(7, 3, 6, 0)]}


def test_a_probe_has_found_what_the_next_receive_takes() -> None:
    probe = (KINDS.receive, (7, ANY, 5, 0, KINDS.probes, 3, 5))
    receive = (KINDS.receive, (7, 3, 5, 0, 0, 3, 5))
    pending = (KINDS.receive, (7, 3, 5, 11, 0, 3, 5))
    words = log(probe, probe, receive, pending, probe, receive)
    found = Receives(entries(words, places(words, KINDS)), KINDS)
    assert found.probed == {
        0: Message(7, 3, 5, 0, True),
        1: Message(7, 3, 5, 0, True),
        4: Message(7, 3, 5, 2, True),
    }
    assert found.ended_by == {2: [Message(7, 3, 5, 0)], 5: [Message(7, 3, 5, 2)]}
    # The message that the pending receive matches is known, although it never completes.
    assert found.begun == {3: Message(7, 3, 5, 1)}


def test_what_another_thread_receives_a_probe_may_have_seen_or_not() -> None:
    words = log(
        (KINDS.receive, (7, 3, 5, 0, KINDS.probes, 3, 5)), (KINDS.receive, (7, 3, 5, 0, 0, 3, 5))
    )
    words[0] += 1 << 48
    found = Receives(entries(words, places(words, KINDS)), KINDS)
    assert found.probed == {0: None}
    assert found.ended_by == {1: [Message(7, 3, 5, 0)]}


def _like(
    kind: int, number: int, bits: int, *words: int, is_narrow: bool = False
) -> tuple[int, ...]:
    # An entry that refers to a similar earlier one, by its number among the complete entries.
    of = kind | 0x80 | is_narrow << 6
    return of | (1 + len(words)) << 8 | bits << 16 | number << 40, *words


def test_an_entry_that_is_like_an_earlier_one() -> None:
    words = log((KINDS.started, (7, 1)), (KINDS.ended, (0,)))
    words[1] = 0x400123
    words.extend((*_like(KINDS.started, 0, 2, 5), *_like(KINDS.started, 0, 0)))
    found = list(entries(words, places(words, KINDS)))
    assert [(entry.place, *entry.words) for entry in found if entry.kind == KINDS.started] == [
        (0x400123, 7, 1),
        (0x400123, 7, 5),
        (0x400123, 7, 1),
    ]


def test_an_entry_that_differs_by_little_from_an_earlier_one() -> None:
    words = log((KINDS.receive, (7, 3, 1 << 40, 9, 0, 1, ANY)))
    by = (-5 & 0xFFFFFFFF) | 0x7FFFFFFF << 32, -(1 << 31) & 0xFFFFFFFF
    words.extend(_like(KINDS.receive, 0, 0b1000101, *by, is_narrow=True))
    words.extend(_like(KINDS.receive, 0, 0b100, 6, is_narrow=True))
    found = [tuple(entry.words) for entry in entries(words, places(words, KINDS))][1:]
    assert found == [
        (2, 3, (1 << 40) + 0x7FFFFFFF, 9, 0, 1, ANY - (1 << 31)),
        (7, 3, (1 << 40) + 6, 9, 0, 1, ANY),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        _like(KINDS.started, 2, 2, 5),  # refers to itself
        _like(KINDS.started, (1 << 24) - 1, 2, 5),
        _like(KINDS.started, 1, 0),  # refers to an entry of another kind
        _like(KINDS.started, 0, 3, 5),  # this entry has more words than the earlier one
        _like(KINDS.started, 0, 0, 5),
        _like(KINDS.started, 0, 4, 5),  # changes a word that the earlier entry lacks
        _like(KINDS.started, 0, 3, 5, 6, is_narrow=True),  # this entry has one word for two changes
        _like(KINDS.started, 0, 3, is_narrow=True),
    ],
)
def test_what_follows_an_entry_that_is_like_none_is_left_out(wrong: tuple[int, ...]) -> None:
    words = log((KINDS.started, (7, 1)), (KINDS.ended, (0,)))
    before = len(words)
    words.extend((*wrong, *log((KINDS.ended, (0,)))))
    assert list(places(words, KINDS).all) == [0, 4]
    assert end(words, places(words, KINDS)) == before


def test_an_entry_is_not_like_one_that_is_like_another() -> None:
    words = log((KINDS.started, (7, 1)))
    words.extend((*_like(KINDS.started, 0, 2, 5), *_like(KINDS.started, 1, 2, 6)))
    assert list(places(words, KINDS).all) == [0, 4]
    assert end(words, places(words, KINDS)) == 6


def _iteration(turn: int, address: int = 64) -> list[tuple[int, Sequence[int]]]:
    """Entries of an iteration, with numbers of a request and a collective call that increase."""
    request = 9 + 2 * turn
    return [
        (KINDS.operation, (1, 2, 0, request, 0, address, 4, 77, 0, 4, 77)),
        (KINDS.completed, (request, 0, 0, 0, 0)),
        (KINDS.collective, (5, turn, 0, 0, KINDS.sends)),
    ]


def _repetitions(of: Sequence[tuple[int, Sequence[int]]], first: int, last: int) -> int:
    words = log(*of)
    return repetitions(words, places(words, KINDS), KINDS, first, last)


def test_iterations_that_differ_in_counted_numbers_are_repetitions() -> None:
    of = [entry for turn in range(5) for entry in _iteration(turn)]
    assert _repetitions(of, 0, 3) == 4
    assert _repetitions(of, 3, 6) == 3
    assert _repetitions(of, 0, 6) == 1  # the second half of a third pair is missing
    assert _repetitions(of, 1, 4) == 3
    assert _repetitions(of, 0, 2) == _repetitions(of, 12, 15) == _repetitions(of, 3, 3) == 0


def test_iterations_that_differ_in_other_numbers_are_none() -> None:
    other = [(KINDS.freed, (1, 0))]
    of = [*_iteration(0), *_iteration(1), *_iteration(2, 68), *_iteration(3)]
    assert _repetitions(of, 0, 3) == 1
    assert _repetitions(of, 3, 6) == 0
    assert _repetitions([*_iteration(0), *_iteration(1), *other], 0, 3) == 1
    # The second iteration completes the request of the first one.
    swapped = [*_iteration(0), *_iteration(1)]
    swapped[4] = swapped[1]
    assert _repetitions(swapped, 0, 3) == 0


def test_iterations_that_are_like_earlier_ones() -> None:
    words = log(*_iteration(0))
    for turn in range(1, 5):
        for index, (kind, changed) in enumerate(
            ((KINDS.operation, {3: 2 * turn}), (KINDS.completed, {0: 2 * turn}))
        ):
            _narrow(words, kind, index, changed)
        _narrow(words, KINDS.collective, 2, {1: turn})
    found = places(words, KINDS)
    assert len(found.all) == 15
    assert repetitions(words, found, KINDS, 3, 6) == 3


def _narrow(words: array[int], kind: int, whole: int, changed: dict[int, int]) -> None:
    bits = sum(1 << index for index in changed)
    values = [*changed.values(), 0]
    halves = [values[i] | values[i + 1] << 32 for i in range(0, len(changed), 2)]
    words.extend((kind | 0xC0 | (1 + len(halves)) << 8 | bits << 16 | whole << 40, *halves))
