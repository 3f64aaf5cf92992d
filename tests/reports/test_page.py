# SPDX-License-Identifier: MIT
"""The page of `mpipp report --format html`, in a browser."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
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
    scrolled = "[...document.querySelectorAll('.source pre, .call, .command code')]"
    assert shown.value(f"{scrolled}.filter(e => e.scrollWidth > e.clientWidth + 1).length") == 0
    background = shown.value("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
    # Both parties are side by side if the page is wide enough.
    tops = shown.value(
        "[...document.querySelector('.parties').children].map(e => e.getBoundingClientRect().top)"
    )
    assert len(tops) == 2 and (tops[0] == tops[1]) == (width > 1000)


@pytest.mark.parametrize("width", [1200, 360])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(shown: Browser, page: Path, width: int, dark: bool) -> None:
    shown.show(page, width=width, dark=dark)
    shown.value("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert shown.violations() == []


def test_axe_sees_what_is_wrong(shown: Browser, tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text(BAD)
    shown.show(tmp_path / "bad.html")
    found = {text.partition(":")[0] for text in shown.violations()}
    assert {"html-has-lang", "color-contrast", "heading-order"} <= found


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
        "no policy for scripts",
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

    title = shown.value("document.title")
    assert title == "mpipp: 2 errors, 1 warning in 2 processes (48 MPI calls checked)"
    assert texts("h2") == ["Overview", "Filter", "Findings", "Errors", "Warnings"]
    assert texts(".counts-by-severity li") == ["2\nerrors", "1\nwarning", "0\nremarks"]
    assert texts(".kinds li") == ["type-mismatch 2", "datatype-leak 1"]
    assert texts(".ranks + p") == ["errors in ranks 0 and 1"]
    assert texts("h3") == [
        "the types sent and received do not match, after 2 elements: "
        "MPI_INT is sent, MPI_DOUBLE received",
        "the types sent and received do not match, at the first element: "
        "MPI_INT is sent, MPI_FLOAT received",
        "1 datatype is not freed",
    ]
    assert texts("#f1 h4") == ["rank 0", "rank 1", "Calls before and after"]
    assert texts("#f1 mark") == [
        "35\n    MPI_Send(all, 4, particle, 1, 7, MPI_COMM_WORLD);",
        "37\n    MPI_Recv(all, 12, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    ]
    assert texts("#f1 h5")[:2] == ["buf: 4 RESIZED[0, 24]", "buf: 12 MPI_DOUBLE"]
    names = "[...document.querySelectorAll('#f1 svg')].map(e => e.getAttribute('aria-label'))"
    assert shown.value(names) == [
        "Type tree of 4 RESIZED[0, 24]",
        "Memory of 4 RESIZED[0, 24]",
        "Memory of 12 MPI_DOUBLE",
    ]
    # The wrong element has a frame in both maps, at the same position in the message.
    marks = "[...document.querySelectorAll('#f1 svg .mark')].length"
    assert shown.value(marks) == 2
    (here,) = texts("#f1 tr.here")
    assert re.sub(r"\d+\.\d{6} s", "TIME", here) == (
        "5\tMPI_Send 4 RESIZED[0, 24]\nwrong.c:35 in exchange\n\t"
        "MPI_Recv 12 MPI_DOUBLE\nwrong.c:37 in exchange, at TIME"
    )
    assert texts("#f1 caption") == [
        "messages with tag 7 on MPI_COMM_WORLD; times in seconds after MPI_Init, "
        "none for calls that repeat earlier ones"
    ]
    assert texts("#f3 .library") == ["in libgrid.so"]
    assert texts("#f2 .call")[0].startswith(
        'MPI_Bcast(root = 0, comm = "<img src=x onerror=alert(3)>'
    )


def test_the_keyboard(shown: Browser, page: Path) -> None:
    """Tab reaches the skip link first, then all parts that open. Enter opens and closes a part."""
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


def many(directory: Path, number: int) -> Path:
    """The page of a run with many findings: copies of the usual ones, in other ranks."""
    run = reports.once("mpich4")
    content = json.loads((run.report / "findings.json").read_text())
    found = []
    for place in range(number):
        one = json.loads(json.dumps(content["findings"][place % len(content["findings"])]))
        for party in one["parties"]:
            party["ranks"] = [rank + 10 * place for rank in party["ranks"]]
        one["what"] += f", number-{place}."
        one["fingerprint"] = f"{place:012x}" + 20 * "0"
        found.append(one)
    content["findings"] = found
    content["processes"] = 10 * number
    (directory / "findings.json").write_text(json.dumps(content))
    file = directory / "many.html"
    done = support.shell("report", directory, "--format", "html", "-o", file)
    assert (done.returncode, done.stderr) == (0, "")
    return file


VISIBLE = (
    "[...document.querySelectorAll('details.finding')]"
    ".filter(e => e.checkVisibility()).map(e => e.querySelector('h3').innerText)"
)
ROWS = "[...document.querySelectorAll('nav li')].filter(e => e.checkVisibility()).length"


def fill(shown: Browser, field: str, value: str) -> None:
    """Type into a field of the filter."""
    shown.value(
        f"(() => {{ const e = document.getElementById({field!r}); e.value = {value!r};"
        "e.dispatchEvent(new Event('input')); })()"
    )


def test_many_findings_are_filtered(shown: Browser, tmp_path: Path) -> None:
    shown.show(many(tmp_path, 42))
    assert shown.said == []
    assert shown.value(WALK) == []
    status = "document.getElementById('shown').innerText"
    assert shown.value(status) == "42 of 42 findings shown"
    # Only the first finding is open, because the page would be very long.
    opened = "[...document.querySelectorAll('details.finding[open]')].map(e => e.id)"
    assert shown.value(opened) == ["f1"]
    fill(shown, "search", "NUMBER-7.")
    assert [text.endswith("number-7.") for text in shown.value(VISIBLE)] == [True]
    assert shown.value(status) == "1 of 42 findings shown"
    assert shown.value(ROWS) == 1
    fill(shown, "search", "")
    fill(shown, "rank", "31")
    assert [text.endswith("number-3.") for text in shown.value(VISIBLE)] == [True]
    fill(shown, "rank", "")
    shown.value("document.querySelector('input.severity[value=error]').click()")
    assert len(shown.value(VISIBLE)) == 14
    shown.value("document.querySelector('input.severity[value=error]').click()")
    fill(shown, "kind", "datatype-leak")
    assert len(shown.value(VISIBLE)) == 14
    # A link leads to a finding that the filter hides.
    (link,) = shown.value(
        "[...document.querySelectorAll('nav a')].filter(e => e.innerText.endsWith('number-4.'))"
        ".map(e => e.hash)"
    )
    assert re.fullmatch("#finding-[0-9a-f]{12}", link)
    shown.value(f"location.hash = {link!r}")
    assert shown.value(f"document.querySelector({link!r}).checkVisibility()")


@pytest.mark.thorough
def test_axe_finds_nothing_in_a_page_of_many(shown: Browser, tmp_path: Path) -> None:
    shown.show(many(tmp_path, 42), width=500)
    assert shown.violations() == []


def test_a_rank_of_the_strip_filters(shown: Browser, tmp_path: Path) -> None:
    shown.show(many(tmp_path, 3))
    cells = "[...document.querySelectorAll('.cell')].map(e => e.className)"
    severe, plain = ["cell error"] * 2, ["cell none"] * 8
    names = shown.value(cells)
    assert len(names) == 30 and names[:10] in (severe + plain, ["cell warning"] * 2 + plain)
    shown.value("document.querySelectorAll('.cell')[20].click()")
    assert len(shown.value(VISIBLE)) == 1


def test_commands_are_copied(shown: Browser, page: Path) -> None:
    shown.show(page)
    buttons = "document.querySelectorAll('#f1 button.copy')"
    texts = shown.value(f"[...{buttons}].map(e => e.dataset.copy)")
    assert re.fullmatch("#finding-[0-9a-f]{12}", texts[0])
    words = shlex.split(texts[1])
    assert words[:3] == ["mpipp", "run", "--stop-at"] and words[3].endswith(":1")
    assert "--report" not in words and words[-2:] == ["./wrong", "./libgrid.so"]
    shown.value(
        "navigator.clipboard.writeText = async (text) => { window.written = text; };"
        f"{buttons}[1].click()"
    )
    assert shown.value("window.written") == texts[1]
    assert shown.value(f"{buttons}[1].innerText") == "Copied"


def test_everything_is_there_without_scripts(shown: Browser, page: Path) -> None:
    shown.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        shown.show(page)
        assert len(shown.value(VISIBLE)) == 3
        for what in ("button", ".controls"):
            hidden = f"[...document.querySelectorAll({what!r})].every(e => !e.checkVisibility())"
            assert shown.value(hidden), what
    finally:
        shown.ask("Emulation.setScriptExecutionDisabled", value=False)


def test_on_paper(shown: Browser, page: Path) -> None:
    """Closed parts are printed, too, and no colours are dark."""
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
    """A document in which all texts are replaced by text that a browser or terminal might obey."""
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


@pytest.mark.skipif("MPIPP_UPDATE_DOCS" not in os.environ, reason="only on demand")
def test_update(shown: Browser, tmp_path: Path) -> None:
    """Update the pictures of README.md and docs/tutorials/reports.md."""
    mpi = support.find_mpi("mpich4")
    shutil.copytree(support.ROOT / "examples", tmp_path / "examples")
    words = [mpi.mpicc, "-g", "examples/rows.c", "-o", "rows"]
    subprocess.run(words, cwd=tmp_path, env=dict(mpi.env), check=True)
    run = ["run", "--check", "--report", "report", "-n", "4", "--", "./rows", "wrong"]
    assert mpi.wrapper  # build the wrapper before the run
    support.shell(*run, env=dict(mpi.env), cwd=tmp_path)
    support.shell("report", "report", "--format", "html", "-o", "page.html", cwd=tmp_path)
    page = tmp_path / "page.html"
    page.write_text(page.read_text().replace(str(tmp_path), "/home/you"))
    shown.show(page, width=1200, height=600)
    assert shown.said == []
    (support.ROOT / "docs" / "images" / "report.png").write_bytes(shown.picture())
