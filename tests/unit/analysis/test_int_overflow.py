# SPDX-License-Identifier: MIT
"""Displacements that have overflowed an int."""

from __future__ import annotations

import pytest

from mpipp.analysis.buffers.int_overflow import Wrapped, wrapped
from mpipp.model import Buffer, Share

WRAPS = 1 << 32


def buffer(displacements: list[int], counts: list[int] | None = None) -> Buffer:
    lengths = counts or [1] * len(displacements)
    shares = [Share(n, at, None, handle=7) for n, at in zip(lengths, displacements)]
    return Buffer("recvbuf", 0, 0, len(shares), None, 7, frozenset({"writes"}), shares)


def test_equal_steps_that_wrap() -> None:
    found = wrapped(buffer([0, 1200000000, 2400000000 - WRAPS, 3600000000 - WRAPS]))
    assert found == {
        2: Wrapped(2400000000 - WRAPS, 2400000000, True),
        3: Wrapped(3600000000 - WRAPS, 3600000000, True),
    }


def test_a_wrap_to_a_positive_number() -> None:
    found = wrapped(buffer([0, 2000000000, 4000000000 - WRAPS, 6000000000 - WRAPS]))
    assert found[3] == Wrapped(6000000000 - WRAPS, 6000000000, True)


def test_steps_of_the_counts() -> None:
    counts = [2000000000, 300000000, 5]
    found = wrapped(buffer([0, 2000000000, 2300000000 - WRAPS], counts))
    # The datatype is unknown, so each count is one byte.
    assert found == {2: Wrapped(2300000000 - WRAPS, 2300000000, True)}


def test_two_displacements_show_no_rule() -> None:
    assert wrapped(buffer([2000000000, 4000000000 - WRAPS])) == {
        1: Wrapped(4000000000 - WRAPS, 4000000000, False)
    }


@pytest.mark.parametrize(
    "displacements",
    [
        [],
        [0, 10, 20],
        [20, 10, 0],  # a step of more than INT_MAX
        [0, -8, -16],  # the address belongs to the last part
        [-8, 0, 8],
        [0, 1 << 33, 1],  # displacements of a wider type than int
    ],
)
def test_nothing_has_overflowed(displacements: list[int]) -> None:
    assert wrapped(buffer(displacements)) == {}
