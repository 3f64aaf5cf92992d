# SPDX-License-Identifier: MIT
"""The page of `mpipp report --format html`, in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import support
from tests.reports import reports
from tests.reports.browser import Browser, browser

WALK = (Path(__file__).resolve().parent / "walk.js").read_text()
NASTY = (
    '"><script>document.title="bad"</script><img src=x onerror=alert(1)>\x1b[31m\udcff\u202e\x00'
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = reports.once("mpich4")
    file = tmp_path_factory.mktemp("page") / "report.html"
    reports.asked(run, "--format", "html", "-o", str(file))
    return file


@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_look(shown: Browser, page: Path, width: int, dark: bool) -> None:
    shown.show(page, width=width, dark=dark)
    assert shown.value(WALK) == []
    assert shown.value("document.documentElement.scrollWidth") <= width
    assert (shown.said, shown.asked) == ([], [page.as_uri()])
    background = shown.value("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
    # Both parties stand side by side where there is room.
    tops = shown.value(
        "[...document.querySelector('.parties').children].map(e => e.getBoundingClientRect().top)"
    )
    assert len(tops) == 2 and (tops[0] == tops[1]) == (width > 1000)


BAD = """\
<!DOCTYPE html><html><head><title>bad</title></head><body style="background: #fff">
<header><h1>One</h1></header><main><h3 id="x">Two</h3><p id="x" style="color: #999">grey</p>
<a href="#y">there</a><div style="overflow: auto; width: 9px">wiiiiiiiiide</div>
<svg width="9" height="9"><title>a</title></svg><table><tr><td>1</td></tr></table>
<img alt="a" src="data:,"></main></body></html>"""


def test_the_walk_sees_what_is_wrong(shown: Browser, tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text(BAD)
    shown.show(tmp_path / "bad.html")
    found = [text.partition(":")[0] for text in shown.value(WALK)]
    assert found == [
        "no language",
        "h3 after h1",
        "an id is there twice",
        "leads nowhere",
        "a picture that is none",
        "a table without caption",
        "a table without headings",
        "cannot be moved",
        "should not be there",
        "should not be there",
        "should not be there",
        "should not be there",
        "contrast 2.85",
    ]


def test_what_is_shown(shown: Browser, page: Path) -> None:
    shown.show(page)

    def texts(of: str) -> list[str]:
        found: list[str] = shown.value(
            f"[...document.querySelectorAll({of!r})].map(e => e.innerText)"
        )
        return found

    title = reports.unasked(shown.value("document.title"))
    assert title == "mpipp: 2 errors, 1 warning in 2 processes, 48 calls"
    assert texts("h2") == ["Findings", "Errors", "Warnings"]
    assert texts("h3") == [
        "what is sent does not match what is received, after 2 elements: "
        "MPI_INT is sent, MPI_DOUBLE received",
        "what is sent does not match what is received, at the first element: "
        "MPI_INT is sent, MPI_FLOAT received",
        "1 datatype is not freed",
    ]
    assert texts("#f1 h4") == ["rank 0", "rank 1", "Around it"]
    assert texts("#f1 mark") == [
        "   35       MPI_Send(all, 4, particle, 1, 7, MPI_COMM_WORLD);",
        "   37       MPI_Recv(all, 12, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    ]
    assert texts("#f1 h5")[:2] == ["buf: 4 RESIZED[0, 24]", "buf: 12 MPI_DOUBLE"]
    names = "[...document.querySelectorAll('#f1 svg')].map(e => e.getAttribute('aria-label'))"
    assert shown.value(names) == [
        "Type tree of 4 RESIZED[0, 24]",
        "Memory of 4 RESIZED[0, 24]",
        "Memory of 12 MPI_DOUBLE",
    ]
    # The element that differs has a frame, in both maps at the same place in the message.
    marks = "[...document.querySelectorAll('#f1 svg .mark')].length"
    assert shown.value(marks) == 2
    (here,) = texts("#f1 tr.here")
    assert re.sub(r"\d+\.\d{6} s", "TIME", here) == (
        "5\tMPI_Send 4 RESIZED[0, 24]\nwrong.c:35 in exchange\n\t"
        "MPI_Recv 12 MPI_DOUBLE\nwrong.c:37 in exchange, at TIME"
    )
    assert texts("#f1 caption") == [
        "messages with tag 7 on MPI_COMM_WORLD; seconds since MPI was initialized, "
        "of calls that do not repeat those before them"
    ]
    assert texts("#f3 .library") == ["in libgrid.so"]
    assert texts("#f2 .call")[0].startswith(
        'MPI_Bcast(root = 0, comm = "<img src=x onerror=alert(3)>'
    )


def test_the_keyboard(shown: Browser, page: Path) -> None:
    """Tab reaches the skip link first, then all that can be opened; Enter opens and closes it."""
    shown.show(page)
    here = "document.activeElement"
    shown.press("Tab", 9)
    assert shown.value(f"{here}.className") == "skip"
    assert shown.value(f"{here}.getBoundingClientRect().left") >= 0
    shown.press("Enter", 13)
    assert shown.value(f"{here}.id") == "findings"
    shown.press("Tab", 9)
    assert shown.value(f"{here}.parentElement.id") == "f1"
    assert shown.value(f"getComputedStyle({here}).outlineStyle") == "solid"
    shown.press("Enter", 13)
    assert shown.value("document.getElementById('f1').open") is False
    shown.press("Enter", 13)
    reached = []
    for _ in range(60):
        shown.press("Tab", 9)
        reached.append(shown.value(f"{here}.closest('details.finding')?.id"))
    assert [name for name in dict.fromkeys(reached) if name] == ["f1", "f2", "f3"]


def test_a_link_opens_what_it_leads_to(shown: Browser, page: Path) -> None:
    shown.show(page)
    shown.value("document.getElementById('f2').open = false")
    shown.value("document.querySelector('nav li:nth-child(2) a').click()")
    assert shown.value("document.getElementById('f2').open") is True


def test_on_paper(shown: Browser, page: Path) -> None:
    """What is folded is printed, too; and nothing is dark."""
    shown.show(page)
    shown.value("document.querySelectorAll('details').forEach(e => e.open = false)")
    assert not shown.value("document.querySelector('#f1 table').checkVisibility()")
    shown.dark(False, media="print")
    height = "document.querySelector('#f1 table').getBoundingClientRect().height"
    assert shown.value(height) > 100
    assert shown.value("getComputedStyle(document.querySelector('nav')).display") == "none"


PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" class="mpipp-map" onload="alert(1)" width="9" '
    'height="9" viewBox="0 0 9 9"><script>alert(2)</script><style>*{display:none}</style>'
    '<foreignObject><b>no</b></foreignObject><a href="javascript:alert(3)"><text>no</text></a>'
    '<rect class="back" style="fill:url(http://x)" x="1" y="1" width="3" height="3"/>'
    '<text x="1" y="2">&lt;b>yes</text></svg>'
)


def nasty(value: Any) -> Any:
    """A document with all of its texts replaced by what a browser or a terminal might obey."""
    if isinstance(value, dict):
        kept = ("severity", "command", "started", "pictures")
        return {key: one if key in kept else nasty(one) for key, one in value.items()}
    if isinstance(value, list):
        return [nasty(one) for one in value]
    return NASTY if isinstance(value, str) else value


def test_nothing_is_obeyed(shown: Browser, tmp_path: Path) -> None:
    run = reports.once("mpich4")
    content = nasty(json.loads((run.report / "findings.json").read_text()))
    content["pictures"] = [PICTURE, '<!DOCTYPE svg [<!ENTITY x "y">]><svg>&x;</svg>', "<b>no</b>"]
    (tmp_path / "findings.json").write_text(json.dumps(content))
    file = tmp_path / "report.html"
    done = support.shell("report", tmp_path, "--format", "html", "-o", file)
    assert (done.returncode, done.stderr) == (0, "")
    shown.show(file, width=360)
    assert (shown.said, shown.asked) == ([], [file.as_uri()])
    assert shown.value(WALK) == []
    assert shown.value("document.documentElement.scrollWidth") <= 360
    assert shown.value("document.title").startswith('mpipp: "><script>')
    pictures = shown.value("[...document.querySelectorAll('svg')].map(e => e.innerHTML)")
    assert set(pictures) == {
        '<rect class="back" x="1" y="1" width="3" height="3"></rect>'
        '<text x="1" y="2">&lt;b&gt;yes</text>'
    }
    for kind in ("text", "sarif"):
        done = support.shell("report", tmp_path, "--format", kind)
        assert (done.returncode, done.stderr) == (0, "")
        assert not {"\x1b", "\x00", "\u202e", "\udcff"} & set(done.stdout)
        assert "\\033[31m\\377\\u202e\\000" in done.stdout.replace("\\\\", "\\")
