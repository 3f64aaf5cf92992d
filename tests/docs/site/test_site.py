# SPDX-License-Identifier: MIT
"""The web site: Sphinx builds it without warnings, and its links and anchors are valid."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.support import ROOT, lacking

# Pages from Sphinx with links to parts that only some builds have.
GENERATED = {"genindex.html", "search.html", "py-modindex.html"}


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.anchors.add(value)


def broken(site: Path) -> Iterator[str]:
    """The links to missing places of the site, as "page: link"."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path.name in GENERATED:
                continue
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[to].anchors if to in pages else set()
            if not to.exists() or (to in pages and unquote(parts.fragment) not in {"", *anchors}):
                yield f"{path.relative_to(site)}: {link}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make site` does."""
    if not importlib.util.find_spec("sphinx"):
        lacking("there is no sphinx: run tools/setup.sh")
    to = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-b", "html", "-W", "-n", "-q", "docs", str(to)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return to.resolve()


@pytest.mark.thorough
def test_links_and_anchors_hold(site: Path) -> None:
    assert list(broken(site)) == []


def test_a_broken_link_of_the_site_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#x"><a href="c.html"><a href="https://d">')
    (tmp_path / "b.html").write_text('<p id="y"><a href="#y"><a href="#z">')
    assert sorted(broken(tmp_path.resolve())) == [
        "a.html: b.html#x",
        "a.html: c.html",
        "b.html: #z",
    ]
