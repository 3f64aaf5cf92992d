# SPDX-License-Identifier: MIT
"""Pages of one-sided, guarded and perturbed runs in a browser, and the picture of a conflict."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mpipp.analysis.findings.rma_timeline import MISTAKEN
from mpipp.analysis.rules.rma import MISTAKES
from mpipp.common.run_directory import DATA
from mpipp.reports import findings_file
from mpipp.reports.findings_file import Lifelines, Point
from mpipp.reports.formats.html import rma_timeline_svg
from tests import support
from tests.reports.browser import Browser, browser

WALK = (Path(__file__).resolve().parent / "walk.js").read_text()
DOCS = support.ROOT / "docs" / "images"
POINTS = [
    (0, "MPI_Win_allocate", "mailbox.c:31 in main", ""),
    (0, "MPI_Win_lock_all", "mailbox.c:32 in main", ""),
    (0, "MPI_Put", "mailbox.c:10 in write_letter", "writes target_disp(DOUBLE) of rank 1"),
    (0, "MPI_Send", "mailbox.c:15 in write_letter", ""),
    (0, "MPI_Win_unlock_all", "mailbox.c:35 in main", ""),
    (1, "MPI_Win_allocate", "mailbox.c:31 in main", ""),
    (1, "MPI_Win_lock_all", "mailbox.c:32 in main", ""),
    (1, "MPI_Recv", "mailbox.c:19 in read_letter", ""),
    (1, "MPI_Get", "mailbox.c:20 in read_letter", "reads target_disp(DOUBLE) of rank 1"),
    (1, "MPI_Win_flush", "mailbox.c:21 in read_letter", ""),
]
FACTS = {
    "lanes": ["rank 0", "rank 2"],
    "points": [dict(zip(("lane", "call", "place", "text"), point)) for point in POINTS],
    "epochs": [{"from": 1, "to": 4}, {"from": 6, "to": -1}],
    "pending": [{"from": 2, "to": 4}, {"from": 8, "to": 9}],
    "edges": [{"from": 5, "to": 0}, {"from": 3, "to": 7}],
    "missing": {"from": 2, "to": 8},
    "why": "may not be complete",
    "wanted": "missing: a call that completes the first at its target before MPI_Send",
}
WORDS = """\
rank 0: MPI_Win_allocate at mailbox.c:31 in main; then MPI_Win_lock_all at mailbox.c:32 in main; \
then MPI_Put at mailbox.c:10 in write_letter, writes target_disp(DOUBLE) of rank 1; \
then MPI_Send at mailbox.c:15 in write_letter; then MPI_Win_unlock_all at mailbox.c:35 in main. \
rank 2: MPI_Win_allocate at mailbox.c:31 in main; then MPI_Win_lock_all at mailbox.c:32 in main; \
then MPI_Recv at mailbox.c:19 in read_letter; \
then MPI_Get at mailbox.c:20 in read_letter, reads target_disp(DOUBLE) of rank 1; \
then MPI_Win_flush at mailbox.c:21 in read_letter. \
MPI_Win_allocate at mailbox.c:31 in main happens before MPI_Win_allocate at mailbox.c:31 in main. \
MPI_Send at mailbox.c:15 in write_letter happens before MPI_Recv at mailbox.c:19 in read_letter. \
Between MPI_Put at mailbox.c:10 in write_letter and MPI_Get at mailbox.c:20 in read_letter: \
may not be complete; missing: a call that completes the first at its target before MPI_Send."""


def shapes(svg: str) -> list[tuple[str, str]]:
    """The classes and texts of the drawn shapes, in their order."""
    found = []
    for element in ElementTree.fromstring(svg).iter():
        look = element.get("class", "")
        if look and look != "mpipp-lives":
            found.append((look, (element.text or "").strip()))
    return found


def run(mpi: support.MPI, directory: Path, source: str, check: str, n: int, way: str) -> int:
    """Run a wrong program with a check. Its report is in `directory`. Returns the exit status."""
    program = support.compile_program(support.ROOT / source, mpi)
    assert mpi.wrapper  # build the wrapper now: later, the run would print the build
    env = {name: mpi.env[name] for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI") if name in mpi.env}
    words: list[str | Path] = ["run", check, "--report", directory / "report"]
    words += ["--mpiexec", shlex.join(mpi.mpiexec), "-n", str(n), "--", program, way]
    return support.shell(*words, env=env).returncode


def look(shown: Browser, directory: Path) -> None:
    """Load the page in several ways. The last one is narrow and dark."""
    page = directory / "page.html"
    support.shell("report", directory / "report", "--format", "html", "-o", page)
    for width, dark in ((1200, False), (360, True)):
        shown.show(page, width=width, dark=dark)
        assert shown.value(WALK) == []
        assert shown.value("document.documentElement.scrollWidth") <= width
        assert shown.said == []


@support.on_mpi("mpich4")
def test_the_page_of_a_guarded_and_provoked_run(mpi: support.MPI, tmp_path: Path) -> None:
    assert run(mpi, tmp_path, "examples/blocks.c", "--check=buffers", 2, "early") == 0
    data = tmp_path / "report" / DATA
    content = json.loads(data.read_text())
    row = {"by": "", "by_place": "", "ranks": [0, 2], "times": 3, "least": 0, "most": 0}
    content["provoked"] = [
        {"place": f"a.c:{line}", "procedure": "MPI_Put", "way": way, **row}
        for line in range(20)
        for way in ("called", "flushed")
    ]
    content["run"]["provoke"] = "rma,7"
    data.write_text(json.dumps(content))
    with browser(tmp_path / "profile") as shown:
        look(shown, tmp_path)

        def texts(of: str) -> list[str]:
            found: list[str] = shown.value(
                f"[...document.querySelectorAll({of!r})].map(e => e.innerText)"
            )
            return found

        assert texts(".counts th") == [
            *("call", "operations", "by pages", "by comparison", "over budget", "not at all"),
            *("MPI_Isend, blocks.c:18 in give", "MPI_Isend, blocks.c:21 in give"),
        ]
        # A call that belongs to two parties is shown once. Its element is in the map.
        assert texts(".around th[scope=col]") == ["Number", "rank 0 sends"]
        assert shown.value("document.querySelectorAll('svg .mark').length") == 1
        assert texts("#provoked + details > summary") == ["20 places in the program"]
        shown.value("document.querySelector('#provoked + details').open = true")
        assert texts(".done dt")[:2] == [
            f"MPI_Put at a.c:{n}\n3 calls of ranks 0 and 2" for n in (0, 1)
        ]
        assert texts(".done dd")[0] == "all flushed before the next"
        assert shown.value(WALK) == []


@support.on_mpi("mpich4", "openmpi4")
def test_a_conflict_is_drawn(mpi: support.MPI, tmp_path: Path) -> None:
    assert run(mpi, tmp_path, "examples/mailbox.c", "--check=rma", 3, "early") == 0
    (found,) = json.loads((tmp_path / "report" / DATA).read_text())["findings"]
    assert found["lifelines"] == FACTS
    (entry,) = findings_file.read(str(tmp_path / "report")).findings
    assert entry.lifelines
    assert rma_timeline_svg.described(entry.lifelines) == WORDS
    picture = rma_timeline_svg.svg(entry.lifelines)
    if os.environ.get("MPIPP_UPDATE_DOCS"):
        (DOCS / "onesided.svg").write_text(picture)
    assert picture == (DOCS / "onesided.svg").read_text()
    if mpi.id == "openmpi4":
        return
    with browser(tmp_path / "profile") as shown:
        look(shown, tmp_path)
        name = shown.value("document.querySelector('svg.mpipp-lives').getAttribute('aria-label')")
        assert name == (
            f"Timelines of rank 0 and rank 2: synchronization, and what is missing. {WORDS}"
        )
        # Only the two accesses are open, because the picture shows the others.
        opened = (
            "[...document.querySelectorAll('.party')].map(e => e.querySelector('.source').open)"
        )
        assert shown.value(opened) == [True, True, False, False, False, False]
        red = "getComputedStyle(document.querySelector('.mpipp-lives .missing')).stroke"
        assert shown.value(red) == "rgb(255, 123, 114)"


# For each case of wrong_epochs.c: the picture as text, and its numbers of epochs and operations.
WRONG = {
    "lock_in_fence": (
        "Timeline of rank 0: epochs, and the error. "
        "rank 0: MPI_Win_fence in lock_in_fence, opens an epoch; "
        "then MPI_Win_lock in lock_in_fence, opens an epoch that the other excludes. "
        "An epoch is open from MPI_Win_fence in lock_in_fence on. "
        "Wrong is MPI_Win_lock in lock_in_fence; "
        "missing: the end of the first epoch before the second.",
        (1, 0),
    ),
    "flush_alone": (
        "Timeline of rank 0: epochs, and the error. "
        "rank 0: MPI_Win_flush in flush_alone, no epoch is open. "
        "Wrong is MPI_Win_flush in flush_alone; missing: the call that opens the epoch.",
        (0, 0),
    ),
    "no_put_in_fence": (
        "Timelines of rank 1 and rank 0: epochs, and the error. "
        "rank 1: MPI_Win_fence in no_put_in_fence, says that nothing is put. "
        "rank 0: MPI_Win_fence in no_put_in_fence; then MPI_Put in put, updates the window. "
        "An epoch is open from MPI_Win_fence in no_put_in_fence on. "
        "Wrong is MPI_Win_fence in no_put_in_fence; wrong: the assertion.",
        (1, 0),
    ),
    "gone_buffer": (
        "Timeline of rank 0: epochs, and the error. "
        "rank 0: MPI_Win_lock in gone_buffer; "
        "then MPI_Put in puts_its_own, needs its buffer until it is complete; "
        "then MPI_Win_unlock in gone_buffer, its buffer ends before. "
        "An epoch is open from MPI_Win_lock in gone_buffer to MPI_Win_unlock in gone_buffer. "
        "Wrong is MPI_Put in puts_its_own; "
        "missing: a call that completes the operation while its buffer exists.",
        (1, 1),
    ),
}


@pytest.mark.parametrize("case", WRONG)
@support.on_mpi("mpich4", "openmpi4")
def test_what_is_wrong_by_itself_is_drawn(mpi: support.MPI, case: str, tmp_path: Path) -> None:
    run(mpi, tmp_path, "tests/analysis/rma/programs/epochs/wrong_epochs.c", "--check=rma", 2, case)
    found = findings_file.read(str(tmp_path / "report")).findings
    (entry,) = (one for one in found if one.id != "process-died")  # MPI may end a process
    assert entry.lifelines
    words, bars = WRONG[case]
    said = (
        f"{rma_timeline_svg.title(entry.lifelines)}. {rma_timeline_svg.described(entry.lifelines)}"
    )
    assert re.sub(r" at wrong_\w+\.\w:\d+", "", said) == words
    picture = rma_timeline_svg.svg(entry.lifelines)
    looks = [look for look, _ in shapes(picture)]
    assert (looks.count("epoch"), looks.count("pending"), looks.count("missing")) == (*bars, 0)
    assert looks.count("access") == 2  # the second is in the legend
    if mpi.id == "openmpi4":
        return
    if case == "lock_in_fence":
        if os.environ.get("MPIPP_UPDATE_DOCS"):
            (DOCS / "epochs.svg").write_text(picture)
        assert picture == (DOCS / "epochs.svg").read_text()
    with browser(tmp_path / "profile") as shown:
        look(shown, tmp_path)
        name = shown.value("document.querySelector('svg.mpipp-lives').getAttribute('aria-label')")
        assert name == said


def test_each_mistake_has_words_for_its_picture() -> None:
    assert list(MISTAKEN) == list(MISTAKES)


def point(lane: int, call: str, text: str = "") -> Point:
    return Point(lane, call, f"a.c:{len(call)}", text)


def test_what_is_drawn_of_two_processes_and_of_one() -> None:
    points = [point(0, "MPI_Win_fence"), point(0, "MPI_Put", "writes"), point(0, "MPI_Win_fence")]
    others = [point(1, "MPI_Win_fence"), point(1, "a load", "reads")]
    of = Lifelines(
        ["rank 0", "rank 1"],
        [*points, *others],
        [(0, 2)],
        [(1, 2)],
        [(3, 0), (0, 3)],
        (1, 4),
        "data race",
        "missing: a fence between the two",
    )
    picture = rma_timeline_svg.svg(of)
    assert shapes(picture) == [
        ("back", ""),
        *[("life", ""), ("head", ""), ("name", "rank 0")],
        *[("life", ""), ("head", ""), ("name", "rank 1")],
        *[("epoch", ""), ("pending", "")],
        *[("edge", ""), ("tip", ""), ("edge", ""), ("tip", "")],
        *[("missing", ""), ("end", ""), ("label", ""), ("wrong name", "data race")],
        *[("point", ""), ("name", "MPI_Win_fence"), ("dim", "a.c:13")],
        *[("access", ""), ("name", "MPI_Put"), ("dim", "a.c:7"), ("wrong", "writes")],
        *[("point", ""), ("name", "MPI_Win_fence"), ("dim", "a.c:13")],
        *[("point", ""), ("name", "MPI_Win_fence"), ("dim", "a.c:13")],
        *[("access", ""), ("name", "a load"), ("dim", "a.c:6"), ("wrong", "reads")],
        *[("missing", ""), ("wrong", "missing: a fence between the two")],
    ]
    # The fences are side by side, and so are the accesses. The last fence is below them.
    heights = re.findall(r'class="(?:point|access)" x="[\d.]+" y="([\d.]+)"', picture)
    tops = [float(height) for height in heights]
    assert tops[0] == tops[3] < tops[1] == tops[4] < tops[2]
    alone = of._replace(lanes=["rank 0"], points=points, edges=[], missing=(1, 2))
    assert [look for look, _ in shapes(rma_timeline_svg.svg(alone))].count("life") == 1


def test_what_makes_no_sense_is_not_drawn() -> None:
    of = Lifelines(["rank 0"], [point(0, "MPI_Put")], [], [], [], (0, 0), "", "")
    assert rma_timeline_svg.svg(of)
    assert rma_timeline_svg.svg(of._replace(missing=(0, 1))) == ""
    assert rma_timeline_svg.svg(of._replace(lanes=[])) == ""
    assert rma_timeline_svg.svg(of._replace(edges=[(0, -1)])) == ""
    assert rma_timeline_svg.svg(of._replace(epochs=[(0, -2)])) == ""
    assert rma_timeline_svg.svg(of._replace(points=[point(1, "MPI_Put")])) == ""
    nasty = of._replace(points=[Point(0, "</text><script>", '"&', "")], edges=[(0, 0), (0, 0)])
    ElementTree.fromstring(rma_timeline_svg.svg(nasty))
