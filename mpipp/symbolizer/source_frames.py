# SPDX-License-Identifier: MIT
"""Frames in a program's source, and copies of the lines around them from the time of the run."""

from __future__ import annotations

import os
import re
import stat
from typing import Any, NamedTuple

_AROUND = 3  # lines before and after
_LONGEST = 400  # characters of a line
_MOST = 1 << 24  # bytes of a file
_CONTINUED = 40  # lines of a statement, before and after a line of it
_COMMENT = re.compile(r"//.*|/\*.*?\*/")
_FIXED_FORM = (".f", ".for", ".ftn", ".f77")


class Frame(NamedTuple):
    """A stack frame of a call in the program."""

    text: str  # "file.c:12 in main", or the known part of it
    path: str = ""  # path of the source file; "" if it is unknown
    line: int = 0
    function: str = ""
    library: str = ""  # name of the shared library; "" for the program itself


class Sources:
    """The source files, each read once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def record(self, frame: Frame) -> dict[str, Any]:
        """Return a frame as data, with the lines around it if they are readable."""
        first, lines = self._excerpt(frame.path, frame.line)
        return {**frame._asdict(), "first": first, "source": lines}

    def statement(self, frame: Frame) -> str:
        """Return the lines of the statement at a frame; "" if they are not readable."""
        lines = self._lines(frame.path) if frame.path and frame.line else []
        first = last = frame.line - 1
        if not 0 <= first < len(lines):
            return ""
        suffix = os.path.splitext(frame.path)[1].lower()
        least, most = max(0, first - _CONTINUED), min(len(lines) - 1, last + _CONTINUED)
        while first > least and _is_continued(lines[first - 1], lines[first], suffix):
            first -= 1
        while last < most and _is_continued(lines[last], lines[last + 1], suffix):
            last += 1
        return "\n".join(lines[first : last + 1])

    def _excerpt(self, path: str, line: int) -> tuple[int, list[str]]:
        lines = self._lines(path) if path and line else []
        if not 0 < line <= len(lines):
            return 0, []
        first = max(1, line - _AROUND)
        return first, [text[:_LONGEST] for text in lines[first - 1 : line + _AROUND]]

    def _lines(self, path: str) -> list[str]:
        if path not in self._files:
            self._files[path] = _read(path)
        return self._files[path]


def _is_continued(line: str, following: str, suffix: str) -> bool:
    # Return whether the statement of a line continues in the following one.
    if suffix in _FIXED_FORM:
        return following[:5].isspace() and following[5:6].strip(" 0") != ""
    if suffix.startswith(".f"):
        return line.partition("!")[0].rstrip().endswith("&")
    code = _COMMENT.sub("", line).strip()
    return bool(code) and not code.endswith((";", "{", "}", ":"))


def _opened(path: str, flags: int) -> int:
    # O_NONBLOCK: the file may have been replaced by a pipe, which would block.
    return os.open(path, flags | os.O_NONBLOCK)


def _read(path: str) -> list[str]:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a device may have side effects
            return []
        with open(path, "rb", opener=_opened) as file:
            text = file.read(_MOST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return []
    return text.expandtabs(4).removesuffix("\n").split("\n")
