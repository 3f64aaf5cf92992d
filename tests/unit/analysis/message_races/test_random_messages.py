# SPDX-License-Identifier: MIT
"""Some of the random programs for which `make fuzz` compares mpipp with all orders of matching."""

from __future__ import annotations

from tests import short
from tests.unit.analysis.message_races.random_messages import compare


def test_races_are_those_of_all_orders() -> None:
    found, whole, racing = [], 0, 0
    for seed in range(short.some(1000)):
        wrong, races = compare(seed)
        found += wrong
        whole += races >= 0
        racing += races > 0
    assert found == []
    # The random programs must include enough that end, and enough with races.
    assert whole > short.some(600)
    assert racing > short.some(80)
