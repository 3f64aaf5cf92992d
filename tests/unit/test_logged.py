# SPDX-License-Identifier: MIT
"""Logs of one-sided communication as they may be: damaged, and with receives in any order."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import pytest

from mpipp.errors import MpippError
from mpipp.registry.logged import ANY, Kinds, Message, Receives, entries

KINDS = Kinds(*range(1, 1 + len(Kinds._fields)))._replace(
    synchronous=1, persistent=2, sends=4, takes=8, cancelled=16
)


def log(*of: tuple[int, Sequence[int]]) -> array[int]:
    """Entries of a kind with words of their own."""
    found = array("Q")
    for kind, own in of:
        found.extend((kind | (2 + len(own)) << 8 | 1 << 48, 0, *own))
    return found


@pytest.mark.parametrize("count", [0, 1, 9, 0xFFFFFF])
def test_an_entry_of_no_words_or_too_many_is_one_sentence(count: int) -> None:
    words = log((KINDS.ended, ()))
    words[0] = KINDS.ended | count << 8
    with pytest.raises(MpippError, match="the log of one-sided communication is damaged"):
        list(entries(words))


def test_receives_are_matched_in_the_order_of_posting() -> None:
    words = log(
        (KINDS.receive, (7, ANY, 5, 11, 0, ANY, 5)),
        (KINDS.receive, (7, 3, 5, 12, 0, 3, 5)),
        (KINDS.completed, (12, 3, 5, 0)),
        (KINDS.completed, (11, 3, 5, 0)),
    )
    found = Receives(words, KINDS).ended_by
    assert found == {2: [Message(7, 3, 5, 1)], 3: [Message(7, 3, 5, 0)]}


def test_behind_a_receive_that_is_never_known_nothing_is_certain() -> None:
    words = log(
        (KINDS.receive, (7, ANY, 5, 11, 0, ANY, 5)),
        (KINDS.receive, (7, 3, 5, 0, 0, 3, 5)),
        (KINDS.receive, (7, 3, 6, 0, 0, 3, 6)),
    )
    assert Receives(words, KINDS).ended_by == {1: [None], 2: [Message(7, 3, 6, 0)]}
