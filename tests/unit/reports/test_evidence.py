# SPDX-License-Identifier: MIT
"""Pictures of buffers and datatypes in findings, and the cases without a picture."""

from __future__ import annotations

import itertools

from mpipp.analysis.findings.finding import Evidence
from mpipp.model import DatatypeRecord, Header, Site
from mpipp.reports.evidence import Taking
from tests.unit.samples import DOUBLE, vector


def made(tree: object) -> Evidence:
    header = Header("datatype", 1, 1, frozenset(), 0, 0, Site(0), "", 0)
    return Evidence(made=DatatypeRecord(header, tree, True, False))  # type: ignore[arg-type]


def test_a_datatype() -> None:
    (found,) = Taking().buffers(made(vector(2, 1, 3, DOUBLE)))
    assert found["map_svg"].startswith("<svg ") and found["tree_svg"].startswith("<svg ")
    assert (found["datatype"], found["count"], found["address"]) == ("VECTOR[2, 1, 3]", 1, None)
    assert len(found["tree"]) == 3 and found["in_time"]
    # A predefined datatype has no picture.
    (found,) = Taking().buffers(made(DOUBLE))
    assert (found["tree_svg"], found["map_svg"]) == ("", "")


def test_pictures_take_so_long_and_no_longer() -> None:
    clock = itertools.count(step=2).__next__  # each picture takes two seconds
    taking = Taking(lambda: float(clock()))
    found = [taking.buffers(made(vector(2, 1, 3, DOUBLE)))[0] for _ in range(5)]
    assert [one["in_time"] for one in found] == [True, True, True, False, False]
    assert [bool(one["map_svg"]) for one in found] == [True, True, True, False, False]
