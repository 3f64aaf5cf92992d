# SPDX-License-Identifier: MIT
"""Some of the random programs that `make fuzz` compares with the oracle."""

from __future__ import annotations

from onesided_random import compare


def test_conflicts_are_those_of_the_oracle() -> None:
    found, compared, conflicting = [], 0, 0
    for seed in range(180):
        wrong, number, bad = compare(seed)
        found += wrong
        compared += number
        conflicting += bad
    assert found == []
    # Both kinds were there.
    assert compared > 500
    assert 100 < conflicting < compared - 100
