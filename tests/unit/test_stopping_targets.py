# SPDX-License-Identifier: MIT
"""Which calls of a finding a repeated run may stop in."""

from __future__ import annotations

from mpipp.reports import stopping
from mpipp.reports.directory import Party, Place
from mpipp.reports.sources import Frame


def party(text: str, made: str, place: str) -> Party:
    return Party("rank 0", text, made, (), (Place(Frame(place), 0, ()),), (), 0)


def test_a_load_or_store_is_no_call() -> None:
    parties = [
        party("stores to buf[4](DOUBLE), at 0x10", "at", "blocks.c:12 in prepare"),
        party("MPI_Isend(dest = 1, tag = 0)", "called at", "blocks.c:18 in give"),
        party("MPI_Waitall, which completes it, came after", "called at", "blocks.c:23 in give"),
    ]
    found = [(one.procedure, one.place) for one in stopping.of(parties)]
    assert found == [("MPI_Isend", "blocks.c:18 in give"), ("", "blocks.c:23 in give")]
