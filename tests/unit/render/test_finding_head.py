# SPDX-License-Identifier: MIT
"""The first line of findings: its source line, and its colours."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.model import Site
from mpipp.render import finding_head
from mpipp.render.finding_head import Point
from mpipp.render.phrases import Phrase
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.output.finding_blocks import Block
from mpipp.watcher.output.totals import NOTHING

# Line 0 is unknown. Lines from 100 on are in a library's header, which line 7 of the program calls.
HEADER = "/usr/include/boost/mpi.hpp"


def frames(party: Party) -> list[Frame]:
    """The source lines of a party."""
    line = party.site.address
    if not line:
        return [Frame("libx.so+0x12")]
    if line >= 100:
        return [
            Frame(f"mpi.hpp:{line} in send", HEADER, line, "send"),
            Frame("main.c:7 in main", "/src/main.c", 7, "main"),
        ]
    return [Frame(f"main.c:{line} in f", "/src/main.c", line, "f")]


def record(*parties: Party, follows: Phrase | None = None) -> dict[str, object]:
    """The record of a finding with these parties."""
    finding = Finding.of("datatype-leak", parties, "one", times=1, noun="datatype")
    finding = Finding(**{**vars(finding), "follows": follows})
    return formatting.record(
        finding,
        lambda party: [frame.text for frame in frames(party)],
        lambda *numbers: "",
        frames=frames,
    )


def call(line: int, process: int = 0, is_wrong: bool = True) -> Party:
    """A call at a line."""
    return Party(process, Phrase("MPI_Send()"), "called at", Site(line), is_wrong=is_wrong)


def made(line: int) -> Party:
    """An object that was created at a line."""
    return Party(0, Phrase("MPI_Datatype"), "made at", Site(line))


@pytest.mark.parametrize(
    ("parties", "line"),
    [
        ([call(5)], 5),
        ([made(5)], 5),
        ([call(5), call(5, 1)], 5),
        ([call(5), call(6, 1)], None),
        ([call(5), made(3)], 5),
        ([made(5), made(6)], None),
        ([call(0)], None),
        ([call(5), call(0, 1)], None),
        ([call(120)], 7),
        ([call(120), call(130)], 7),
        ([call(5, is_wrong=False)], None),
        ([call(5, is_wrong=False), made(3)], 3),
    ],
)
def test_point_is_the_one_place_of_the_calls(parties: list[Party], line: int | None) -> None:
    expected = None if line is None else {"path": "/src/main.c", "line": line}
    assert record(*parties)["point"] == expected


def test_head_begins_with_the_point(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    one = record(call(5))
    text = Block(str(one["text"]), [one]).shown()
    assert text.splitlines()[:2] == [
        "/src/main.c:5: warning: 1 datatype is not freed",
        "  MPI_Send()",
    ]
    # Programs read the place from the record, not from the text.
    assert str(one["text"]).startswith("warning: ")
    several = record(call(5), call(6))
    assert Block(str(several["text"]), [several]).shown().startswith("warning: ")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("DIR/src/halo.c", "src/halo.c:22"),
        ("/far/away/halo.c", "/far/away/halo.c:22"),
        ("halo.py", "halo.py:22"),
    ],
)
def test_path_opens_from_the_working_directory(
    path: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Point(path.replace("DIR", str(tmp_path)), 22).text == expected


def test_path_when_the_working_directory_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert Point("/src/halo.c", 22).text == "/src/halo.c:22"


def test_colours_surround_place_and_severity() -> None:
    text = finding_head.printed("error: x\n  rank 0", Point("a.c", 2), "error", coloured=True)
    assert text == "\033[1ma.c:2: \033[0m\033[1;31merror:\033[0m x\n  rank 0"


def test_text_of_the_program_never_reaches_the_terminal_as_it_is() -> None:
    text = finding_head.printed("error: \033[31m", Point("\033]0;x.c", 2), "error", coloured=True)
    assert "\033]" not in text and "\033[31m" not in text


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "expected"),
    [
        (Terminal, {"TERM": "xterm"}, True),
        (io.StringIO, {"TERM": "xterm"}, False),
        (Terminal, {"TERM": "dumb"}, False),
        (Terminal, {}, False),
        (Terminal, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal, {"TERM": "xterm", "NO_COLOR": ""}, True),
    ],
)
def test_colours_only_where_they_are_wanted(
    stream: Callable[[], io.StringIO],
    variables: dict[str, str],
    expected: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert finding_head.has_colours(stream()) == expected


@pytest.mark.parametrize(
    ("changes", "colour", "found"),
    [
        ({"errors": 1, "warnings": 2}, "\033[1;31m", "1 error, 2 warnings"),
        ({"warnings": 1}, "\033[1;35m", "1 warning"),
        ({}, "\033[1;32m", "no errors"),
        ({"failures": ("node a: gone",)}, "\033[1;31m", "nothing found"),
    ],
)
def test_summary_has_the_colour_of_the_worst(
    changes: dict[str, Any], colour: str, found: str
) -> None:
    total = NOTHING._replace(processes=2, calls=8, **changes)
    assert total.line() == f"{found} in 2 processes (8 MPI calls checked)"
    assert (
        total.line(coloured=True) == f"{colour}{found}\033[0m in 2 processes (8 MPI calls checked)"
    )


def test_consequence_is_a_remark() -> None:
    one = record(call(5), follows=Phrase("the buffer is not mapped"))
    assert one["severity"] == "remark"
    assert str(one["text"]).startswith("remark: ")


@pytest.mark.parametrize("point", [5, {"path": 5, "line": 1}, {"path": "x", "line": 1.5}, {}])
def test_a_point_from_outside_is_checked(point: object) -> None:
    with pytest.raises((KeyError, TypeError)):
        finding_head.point({"point": point})
