# SPDX-License-Identifier: MIT
"""Merged stops and outputs of several ranks."""

from __future__ import annotations

from mpipp.ranks import merged_output, stops
from mpipp.ranks.stops import Stop


def test_equal_stops_are_one_line_with_the_source_line_below() -> None:
    here = "20\t  u[i] = 0;"
    found = [
        Stop(3, "Breakpoint 1", "relax at halo.c:20", here),
        Stop(0, "Breakpoint 1", "relax at halo.c:20", here),
        Stop(1, "", "in MPI_Recv, called at halo.c:17 in exchange"),
        Stop(2, "exited with status 3", "", has_ended=True),
    ]
    assert list(stops.lines(found)) == [
        "rank 2 has exited with status 3",
        "ranks 0 and 3: Breakpoint 1, relax at halo.c:20",
        here,
        "rank 1: in MPI_Recv, called at halo.c:17 in exchange",
    ]


def test_a_line_of_several_groups_is_shown_once() -> None:
    found = [Stop(0, "x = 1", "f at a.c:3", "3\tx++;"), Stop(1, "x = 2", "f at a.c:3", "3\tx++;")]
    assert list(stops.lines(found)) == [
        "rank 0: x = 1, f at a.c:3",
        "rank 1: x = 2, f at a.c:3",
        "3\tx++;",
    ]


def test_equal_output_is_printed_once() -> None:
    outputs = {2: "$7 = 4\n", 0: "$5 = 4\n", 1: "$6 = 5\n", 3: ""}
    assert list(merged_output.lines(outputs)) == ["ranks 0 and 2: 4", "rank 1: 5"]


def test_output_of_several_lines_is_indented() -> None:
    assert list(merged_output.lines({0: "i = 1\nj = 2\n", 1: "i = 1\nj = 2\n"})) == [
        "ranks 0 and 1:",
        "  i = 1",
        "  j = 2",
    ]
