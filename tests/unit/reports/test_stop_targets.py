# SPDX-License-Identifier: MIT
"""The calls of a finding in which a repeated run may stop."""

from __future__ import annotations

from mpipp.reports import stop_targets
from mpipp.reports.findings_file import Party, Place
from mpipp.symbolizer.source_frames import Frame


def party(made: str, place: str, procedure: str = "") -> Party:
    places = (Place(Frame(place), 0, ()),)
    return Party("rank 0", "", made, (), places, (), 7, [0], procedure, {"tag": 5, "dest": 1})


def test_a_load_or_store_is_no_call() -> None:
    parties = [
        party("at", "blocks.c:12 in prepare"),
        party("called at", "blocks.c:18 in give", "MPI_Isend"),
        party("called at", "blocks.c:23 in give"),
    ]
    found = [(one.procedure, one.place) for one in stop_targets.of(parties)]
    assert found == [("MPI_Isend", "blocks.c:18 in give"), ("", "blocks.c:23 in give")]


def test_the_call_of_the_same_message() -> None:
    (target,) = stop_targets.of([party("called at", "blocks.c:18 in give", "MPI_Isend")])
    call = ("MPI_Isend", "blocks.c:18 in give")
    assert target.fits(0, *call, {"tag": 5, "dest": 1})
    assert not target.fits(0, *call, {"tag": 6, "dest": 1})
    assert not target.fits(0, *call, {"tag": 5, "dest": 2})
    assert not target.fits(1, *call, {"tag": 5, "dest": 1})
    several = target._replace(ranks=[0, 1])  # the two ranks have different peers
    assert several.fits(1, *call, {"tag": 5, "dest": 2})
