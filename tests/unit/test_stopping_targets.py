# SPDX-License-Identifier: MIT
"""Which calls of a finding a repeated run may stop in."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("label", "ranks"),
    [
        ("rank 3", [[3, 3]]),
        ("ranks 0, 2 to 5 and 8", [[0, 0], [2, 5], [8, 8]]),
        ("ranks 0 to 99999999999", [[0, 99999999999]]),
        ("ranks 0 to " + "9" * 5000, None),
        ("rank \u00b2", None),
        ("rank \u0663", None),
        ("ranks 1 to", None),
        ("process 7", None),
    ],
)
def test_ranks_of_a_label(label: str, ranks: list[list[int]] | None) -> None:
    """They may be of a directory that somebody has made: no list of them is."""
    call = party("MPI_Send(dest = 1, tag = 0)", "called at", "a.c:1 in main")
    found = list(stopping.of([call._replace(process=label)]))
    assert [one.ranks for one in found] == ([] if ranks is None else [ranks])
    for first, last in ranks or ():
        for rank in (first, last):
            assert found[0].fits(rank, "MPI_Send", "a.c:1 in main", call.text)
        assert not found[0].fits(last + 1, "MPI_Send", "a.c:1 in main", call.text)
    assert not any(one.fits(None, "MPI_Send", "a.c:1 in main", call.text) for one in found)
