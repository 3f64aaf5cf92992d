# SPDX-License-Identifier: MIT
"""Reports for continuous integration: JUnit XML, and annotations of GitHub Actions."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from mpipp.render import json_output
from mpipp.reports import findings_file
from mpipp.reports.findings_file import Run
from mpipp.reports.formats import github, junit

PLACE = {"text": "halo.c:37 in main", "path": "/src/app/halo.c", "line": 37}
ERROR = {
    "id": "message-types",
    "check": "messages",
    "severity": "error",
    "what": 'it is "wrong" & <so>',
    "text": 'error: it is "wrong" & <so>\n  at 100%',
    "parties": [{"text": "call", "frames": []}, {"text": "call", "frames": [PLACE]}],
}
WARNING = {"id": "leak", "check": "leaks", "severity": "warning", "text": "warning: \x1b\ufffe"}


def run_of(*findings: object, **run: object) -> Run:
    head = {"mpipp": json_output.VERSION, "command": "run", "summary": "1 error"}
    known = {"command": ["mpipp", "run", "a b"], "directory": "/src/app", "seconds": 1.5, **run}
    content = {**head, "run": known, "findings": findings, "not_checked": ["one thing"]}
    return findings_file.run_of(json.dumps(content).encode(), "FILE")


def test_junit() -> None:
    root = ElementTree.fromstring(junit.junit(run_of(WARNING, ERROR, exit=3)))
    (suite,) = root
    counts = {"tests": "3", "failures": "1", "errors": "1"}
    assert {name: suite.get(name) for name in counts} == counts
    assert {name: root.get(name) for name in counts} == counts
    program, error, warning = suite
    assert program.get("name") == "mpipp run 'a b'"
    assert program.findtext("system-out") == "not checked: one thing\n1 error"
    (failed,) = program.findall("error")
    assert failed.get("message") == "exit status 3"
    assert (error.get("name"), error.get("file"), error.get("line")) == (
        "message-types at halo.c:37 in main",
        "/src/app/halo.c",
        "37",
    )
    (failure,) = error
    assert (failure.get("message"), failure.text) == (ERROR["what"], ERROR["text"])
    assert [child.tag for child in warning] == ["system-out"]
    assert warning.findtext("system-out") == r"warning: \033\ufffe"


def test_junit_of_a_correct_program() -> None:
    (suite,) = ElementTree.fromstring(junit.junit(run_of(exit=0)))
    (program,) = suite
    assert (suite.get("failures"), suite.get("errors")) == ("0", "0")
    assert [child.tag for child in program] == ["system-out"]


@pytest.mark.parametrize(
    ("root", "path"), [("", "halo.c"), ("/src", "app/halo.c"), ("/home", "/src/app/halo.c")]
)
def test_github(root: str, path: str) -> None:
    found = list(github.lines(run_of(WARNING, ERROR), root))
    text = 'error: it is "wrong" & <so>%0A  at 100%25'
    assert found == [
        f"::error file={path},line=37,title=mpipp%3A message-types::{text}",
        r"::warning title=mpipp%3A leak::warning: \033" + "\ufffe",
    ]


def test_a_name_ends_no_command() -> None:
    path = "/src/app/a,b:\n::error::c.c"
    place = {"text": "x", "path": path, "line": 1}
    finding = {"id": "a", "text": "x\n::stop", "parties": [{"text": "x", "frames": [place]}]}
    (line,) = github.lines(run_of(finding))
    file = r"a%2Cb%3A\n%3A%3Aerror%3A%3Ac.c"
    assert line == f"::error file={file},line=1,title=mpipp%3A a::x%0A::stop"
