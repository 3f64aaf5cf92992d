# SPDX-License-Identifier: MIT
"""Hostile content of a run's directory: reports limit its size, and follow no link."""

from __future__ import annotations

import json
import time

import pytest

from mpipp.render import json_output
from mpipp.reports import findings_file
from mpipp.reports.findings_file import Run
from mpipp.reports.formats import guard_table, perturbation_table, sarif, text
from mpipp.reports.formats.html import svg_filter
from mpipp.reports.table_rows import Guarded, Provoked

SVG = '<svg xmlns="http://www.w3.org/2000/svg">'


def run_of(**content: object) -> Run:
    head = {"mpipp": json_output.VERSION, "command": "run"}
    return findings_file.run_of(json.dumps({**head, **content}).encode(), "FILE")


def test_a_picture_as_mpipp_draws_it() -> None:
    drawn = f'{SVG}<style>a{{b}}</style><title>&lt;t</title><g class="a b"><text x="1">x&amp;y'
    drawn += '<tspan>z</tspan></text>tail<path d="M1 2"/></g></svg>'
    assert svg_filter.cleaned(drawn, "what \x1b") == (
        '<svg role="img" aria-label="what \\033"><title>&lt;t</title><g class="a b">'
        '<text x="1">x&amp;y</text><path d="M1 2"></path></g></svg>'
    )


@pytest.mark.parametrize(
    "drawn",
    [
        f"{SVG}{'<g>' * 200_000}{'</g>' * 200_000}</svg>",
        f"{SVG}{'<g>' * 200_000}",
        f"{SVG}{'<foreignObject>' * 200_000}{'</foreignObject>' * 200_000}</svg>",
        f"{SVG}{'<style>' * 100_000}",
        '<!DOCTYPE svg [<!ENTITY a "b">]>' + f"{SVG}&a;</svg>",
        f"<?xml-stylesheet href='x'?>{SVG}</svg>",
        "<svg><text>no namespace</text></svg>",
        f"{SVG}</svg>\ud800",
        "",
    ],
)
def test_pictures_that_are_left_out(drawn: str) -> None:
    begun = time.process_time()
    assert svg_filter.cleaned(drawn, "") == ""
    assert time.process_time() - begun < 20


def test_only_what_is_known_is_let_through() -> None:
    drawn = f"{SVG}<script>bad()</script><a href='x'><text>in</text></a><g onload='bad()'/>"
    drawn += "<image href='x'/><text style='x' x='url(#a)'>out</text></svg>"
    kept = '<svg role="img" aria-label="n"><g></g><text>out</text></svg>'
    assert svg_filter.cleaned(drawn, "n") == kept


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("/src/app/main.c", "main.c"),
        ("/src/app/sub/../main.c", "main.c"),
        ("sub/main.c", "sub/main.c"),
        ("a:b.c", "a%3Ab.c"),
        ("/src/app/../../etc/passwd", "file:///etc/passwd"),
        ("../../etc/passwd", "file:///etc/passwd"),
        ("/src/application/main.c", "file:///src/application/main.c"),
        ("//host/share/main.c", "file:///host/share/main.c"),
        ("/src/app", "file:///src/app"),
        ("/src/app/\ud800.c", r"%5Cud800.c"),
        ("/src/app/\udcff.c", "%FF.c"),
    ],
)
def test_paths_of_sources_stay_below_the_root(path: str, uri: str) -> None:
    place = {"text": "x", "path": path, "line": 1}
    finding = {"id": "a", "parties": [{"text": "x", "frames": [place]}]}
    log = json.loads(sarif.sarif(run_of(run={"directory": "/src/app"}, findings=[finding])))
    (result,) = log["runs"][0]["results"]
    found = result["locations"][0]["physicalLocation"]["artifactLocation"]
    below = {} if uri.startswith("file:") else {"uriBaseId": "SRCROOT"}
    assert found == {"uri": uri, **below}


def test_many_rules_of_their_own() -> None:
    begun = time.process_time()
    log = json.loads(sarif.sarif(run_of(findings=[{"id": f"{n}"} for n in range(50_000)])))
    assert time.process_time() - begun < 30
    assert all(
        log["runs"][0]["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"]
        for one in log["runs"][0]["results"]
    )


def test_a_long_name_does_not_widen_every_row() -> None:
    rows = [Guarded("x" * 1_000_000, "", 1, 0, 0, 0, 0), *[Guarded("y", "", 1, 0, 0, 0, 0)] * 1000]
    assert sum(map(len, guard_table.lines(rows))) < 2_000_000


def test_lines_in_their_order_however_long_their_numbers_are() -> None:
    long = "9" * 5000
    places = ["a.c:10", "a.c:9", f"a.c:{long}", "a.c:\u00b2", "a.c:007", "b"]
    rows = [Provoked(place, "MPI_Put", "called", "", "", (0,), 1, 0, 0) for place in places]
    found = [one.call.removeprefix("MPI_Put at ") for one in perturbation_table.places(rows)]
    assert found == ["a.c:007", "a.c:9", "a.c:10", f"a.c:{long}", "a.c:\u00b2", "b"]


def test_ranks_without_end_cost_nothing() -> None:
    frame = {"text": "a.c:1 in main", "path": "/a.c", "line": 1}
    label, ranks = "ranks 0 to 99999999999", [0, 99999999999]
    party = {"process": label, "ranks": ranks, "text": "MPI_Send(", "made": "called at"}
    run = run_of(findings=[{"id": "a", "parties": [{**party, "frames": [frame]}]}] * 1000)
    begun = time.process_time()
    assert sum("stop there" in line for line in text.lines(run)) == 1000
    assert time.process_time() - begun < 20
