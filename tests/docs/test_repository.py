# SPDX-License-Identifier: MIT
"""Links in the documents are valid, and no file names the machine on which it was written."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT, lacking, need

# Links in text, not in code: [words](target), with an optional #heading.
LINK = re.compile(r"(?<!!)\[[^]]+\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)

# Paths of workplaces, and hosts of package registries, which differ for everyone.
FORBIDDEN = re.compile(
    r"(?<![\w.$}-])/(?:work|tmp/w)/\w"
    r"|\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:com|org)|crates\.io|proxy\.golang\.org)\b"
)


def documents() -> list[Path]:
    """All Markdown files of the repository."""
    return [path for path in tracked() if path.suffix == ".md"]


def tracked() -> list[Path]:
    """The files that git knows; skips the test without git."""
    if not (ROOT / ".git").exists():
        lacking("this is no clone: there is no list of files")
    done = subprocess.run(
        [need("git"), "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=True
    )
    paths = [ROOT / name for name in done.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def anchors(text: str) -> set[str]:
    """The anchors of the headings in a document."""
    headings = HEADING.findall(re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


def broken(path: Path) -> Iterator[str]:
    """The invalid links of a document."""
    for target in LINK.findall(CODE.sub("", path.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, heading = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        if not other.exists():
            yield f"{path.name}: there is no {target}"
        elif heading and heading not in anchors(other.read_text()):
            yield f"{path.name}: there is no heading {target}"


def test_links_lead_somewhere() -> None:
    assert documents(), "there are no documents"
    assert [problem for path in documents() for problem in broken(path)] == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    text = "# One & two\n[a](b.md) [c](#one--two) [d](x.md#e) `[f](g)` [h](https://i)\n"
    (tmp_path / "x.md").write_text(text)
    assert list(broken(tmp_path / "x.md")) == [
        "x.md: there is no b.md",
        "x.md: there is no heading x.md#e",
    ]


def test_links_go_to_known_hosts() -> None:
    """The address of mpipp's repository is not known yet, so no document may invent one."""
    hosts = {"keepachangelog.com", "semver.org", "itc.rwth-aachen.de"}
    hosts |= {"www.contributor-covenant.org", "microsoft.github.io"}
    found = {
        f"{path.name}: {host}"
        for path in documents()
        for host in re.findall(r"https?://([\w.-]+)", path.read_text())
        if host not in hosts
    }
    assert found == set()


def texts() -> Iterator[tuple[str, str]]:
    """The name and the text of each tracked text file, with its line ends."""
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data:
            yield path.relative_to(ROOT).as_posix(), data.decode()


def test_no_file_names_a_workplace_or_a_registry() -> None:
    found = [
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN.search(line)
    ]
    assert found == []


def unlike_editorconfig(name: str, text: str) -> Iterator[str]:
    """The places of a file that violate `.editorconfig`, as "name:line: what"."""
    if text and not text.endswith("\n"):
        yield f"{name}: no newline at the end"
    for number, line in enumerate(text.split("\n"), 1):
        if line != line.rstrip():
            yield f"{name}:{number}: white space at the end"
        if line.startswith("\t") and name not in ("Makefile", "packaging/debian/rules"):
            yield f"{name}:{number}: a tab as indentation"


def test_files_follow_editorconfig() -> None:
    assert [wrong for name, text in texts() for wrong in unlike_editorconfig(name, text)] == []


def test_a_file_that_breaks_editorconfig_is_found() -> None:
    assert list(unlike_editorconfig("a.c", "a \n\tb\r\nc")) == [
        "a.c: no newline at the end",
        "a.c:1: white space at the end",
        "a.c:2: white space at the end",
        "a.c:2: a tab as indentation",
    ]
    assert list(unlike_editorconfig("Makefile", "all:\n\ttrue\n")) == []


@pytest.mark.parametrize(
    ("line", "forbidden"),
    [
        ("see " + "/".join(["", "work", "main"]), True),
        ("-I" + "/".join(["", "tmp", "w", "v"]), False),
        ("in " + "/".join(["", "tmp", "w", "v"]), True),
        ("https://pypi" + ".org/simple", True),
        ("$work/particles and build/work/x", False),
    ],
)
def test_what_is_forbidden(line: str, forbidden: bool) -> None:
    assert bool(FORBIDDEN.search(line)) is forbidden


def test_each_target_of_make_is_in_the_table() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    targets = set(phony[1].split()) - {"help", "setup", "clean"}
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert [name for name in sorted(targets) if not re.search(rf"`make {name}[` ]", text)] == []


def test_each_room_of_tests_is_in_the_table() -> None:
    rooms = {path.parent.relative_to(ROOT) for path in (ROOT / "tests").glob("*/test_*.py")}
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert [room for room in sorted(rooms) if f"| `{room}/` |" not in text] == []
