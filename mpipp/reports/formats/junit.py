# SPDX-License-Identifier: MIT
"""A run's findings as JUnit XML, which CI systems show as test results.

The run is one test case, and each finding is another. Warnings pass, as they do for --error-exit.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from mpipp.common.text.sanitize import plain
from mpipp.reports.findings_file import Entry, Run

_NO_CHARACTERS = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}  # forbidden in XML 1.0


def junit(run: Run) -> str:
    """The document, without a line end at its end."""
    failures = sum(one.severity == "error" for one in run.findings)
    counts = (
        f'tests="{1 + len(run.findings)}" failures="{failures}" errors="{int(_has_failed(run))}"'
    )
    seconds = f'time="{run.seconds:g}"'
    started = f" timestamp={_attribute(run.started)}" if run.started else ""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="mpipp" {counts} {seconds}>',
        f'<testsuite name="mpipp" {counts} skipped="0" {seconds}{started}>',
        *_program(run),
        *(line for entry in run.findings for line in _finding(entry)),
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines)


def _program(run: Run) -> Iterator[str]:
    # The test case of the run. Its result is an error if the program did not end normally.
    name = shlex.join(run.command) or "mpipp run"
    yield f'<testcase classname="mpipp" name={_attribute(name)} time="{run.seconds:g}">'
    if _has_failed(run):
        yield f'<error message="exit status {run.exit}" type="exit-status"/>'
    said = [*(f"not checked: {sentence}" for sentence in run.not_checked), run.summary]
    yield f"<system-out>{_text(chr(10).join(said))}</system-out>"
    yield "</testcase>"


def _has_failed(run: Run) -> bool:
    return bool(run.exit)


def _finding(entry: Entry) -> Iterator[str]:
    place = entry.place
    frame = place.frame if place is not None else None
    name = f"{entry.id} at {frame.text}" if frame is not None else entry.id
    where = f" file={_attribute(frame.path)}" if frame is not None and frame.path else ""
    where += f' line="{frame.line}"' if where and frame is not None and frame.line > 0 else ""
    classname = _attribute(f"mpipp.{entry.check}")
    yield f'<testcase classname={classname} name={_attribute(name)}{where} time="0">'
    if entry.severity == "error":
        kind = f"message={_attribute(entry.what)} type={_attribute(entry.id)}"
        yield f"<failure {kind}>{_text(entry.text)}</failure>"
    else:
        yield f"<system-out>{_text(entry.text)}</system-out>"
    yield "</testcase>"


def _text(text: str) -> str:
    return escape(plain(text).translate(_NO_CHARACTERS))


def _attribute(text: str) -> str:
    # Text as an attribute in quotes.
    return quoteattr(plain(text, "").translate(_NO_CHARACTERS))
