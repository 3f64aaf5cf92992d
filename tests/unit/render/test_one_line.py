# SPDX-License-Identifier: MIT
"""Objects and calls in one line."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from mpipp.model import Broken, Buffer
from mpipp.render.datatype_structs import members
from mpipp.render.object_structs import Surroundings
from mpipp.render.one_line import arguments, inline
from mpipp.render.print_settings import shortened
from mpipp.render.structure import Struct
from tests.unit import jobs
from tests.unit.samples import DOUBLE, INT, indexed, vector


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


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("a = 1, buf = 0x7ffdee2ea610 (8 VECTOR[4, 1, 5])", "a = 1, ..."),
        ('a = {b = 1, c = "d, {e", f = 123456789}', 'a = {b = 1, c = "d, {e", ...}'),
        ("{1, {2, {3, 444444444444444444444444444444}}}", "{1, {2, {3, ...}}}"),
        ("{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}", "{{1, 2}, {3, 4}, {5, 6}, ...}"),
        (r'{"a long name, with \", in it", 1}', r'{"a long name, with \", in it", ...}'),
        ("'\"', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "'\"', 1, 2, 3, 4, 5, 6, 7, ..."),
        ("MPI_File_open of a file in a directory", "MPI_File_open of a file in a directory"),
        ("short", "short"),
    ],
)
def test_lines_are_cut_between_items(text: str, short: str) -> None:
    assert shortened(text, 30) == short


def test_in_place_there_may_be_no_datatype() -> None:
    around = jobs.Recorded(0, 2, constants={"MPI_IN_PLACE": 1})
    buffers = (Buffer("sendbuf", 1, 0, 1, None, 0, frozenset()),)
    call = replace(jobs.call("MPI_Alltoallw", comm=None), buffers=buffers)
    (argument,) = arguments(call, cast("Surroundings", around))
    assert argument.text == "sendbuf = MPI_IN_PLACE"


def test_a_completed_call_does_not_show_a_communicator_that_is_being_freed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    around = jobs.Recorded(0, 2)
    broken = Broken("comm", 0x10, "there is no comm at 0x10")
    monkeypatch.setattr(around, "find", lambda _kind, _handle: broken, raising=False)
    call = replace(jobs.call("MPI_Barrier", comm=5), buffers=(), arguments={})
    assert arguments(replace(call, state="over"), cast("Surroundings", around)) == ()
    (argument,) = arguments(replace(call, state="active"), cast("Surroundings", around))
    assert "there is no comm" in argument.text
