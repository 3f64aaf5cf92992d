# SPDX-License-Identifier: MIT
"""A run's findings as workflow commands of GitHub Actions, which turn them into annotations.

GitHub shows the message of a command beside its source line. Line ends and percent signs in the
message are escaped, so that it cannot contain commands.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from mpipp.common.text.sanitize import plain
from mpipp.reports.findings_file import Entry, Run


def lines(run: Run, root: str = "") -> Iterator[str]:
    """One command for each finding, without line ends.

    Args:
        root: the repository's directory, to which paths are relative; "" for the directory of the
            run.
    """
    for entry in run.findings:
        where = "".join(f"{name}={value}," for name, value in _place(entry, run, root))
        message = _data(plain(entry.text or entry.what))
        yield f"::{entry.severity} {where}title={_property(f'mpipp: {entry.id}')}::{message}"


def _place(entry: Entry, run: Run, root: str) -> Iterator[tuple[str, str]]:
    found = entry.place
    if found is None or not found.frame.path:
        return
    yield "file", _property(_relative(os.path.join(run.directory, found.frame.path), run, root))
    if found.frame.line > 0:
        yield "line", str(found.frame.line)


def _relative(path: str, run: Run, root: str) -> str:
    path = os.path.normpath(path)
    base = os.path.normpath(root or run.directory).rstrip("/") + "/"
    return path[len(base) :] if path.startswith(base) else path


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(plain(text, "")).replace(":", "%3A").replace(",", "%2C")
