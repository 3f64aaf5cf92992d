# SPDX-License-Identifier: MIT
"""Objects and calls in one line."""

from __future__ import annotations

from samples import DOUBLE, INT, indexed, vector

from mpipp.show.members import members
from mpipp.show.oneline import inline
from mpipp.show.structure import Struct


def test_datatype_with_arrays_and_a_component() -> None:
    columns = indexed([3, 1], [10, 2], vector(2, 1, 4, DOUBLE))
    assert inline(Struct(members(columns)), 1) == (
        "{kind = INDEXED, count = 2, entries = {{blocklength = 3, displacement = 10}, "
        "{blocklength = 1, displacement = 2}}, "
        'type = {kind = VECTOR, count = 2, blocklength = 1, stride = 4, type = "MPI_DOUBLE"}}'
    )


def test_long_arrays_end_early() -> None:
    text = inline(Struct(members(indexed([1] * 100, list(range(100)), INT))))
    assert text.count("blocklength = 1") == 16 and "...}" in text
