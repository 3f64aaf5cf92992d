# SPDX-License-Identifier: MIT
"""The first line of a finding in the form of compiler messages, and its colours on a terminal.

Editors jump to "halo.c:22: error: ...". A finding at several places begins with its severity.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TextIO

from mpipp.common.text.sanitize import Styled, plain

_BOLD, _RESET = "\033[1m", "\033[0m"
_COLOURS = {"error": "\033[1;31m", "warning": "\033[1;35m", "remark": "\033[1;36m"}
_GREEN = "\033[1;32m"


class Point(NamedTuple):
    """The source line of a finding."""

    path: str
    line: int

    @property
    def text(self) -> str:
        """ "src/halo.c:22", relative to the working directory."""
        return f"{_shortest(self.path)}:{self.line}"


def prefix(point: Point | None) -> str:
    """The text before the severity: "halo.c:22: ", or "" without a source line."""
    return f"{point.text}: " if point is not None else ""


def printed(text: str, point: Point | None, severity: str, coloured: bool = False) -> str:
    """The printed form of a finding's text, which begins with its severity."""
    place, mark = plain(prefix(point), ""), f"{severity}:"
    text = plain(text)
    if not coloured or not text.startswith(mark):
        return place + text
    place = f"{_BOLD}{place}{_RESET}" if place else ""
    return Styled(f"{place}{_COLOURS[severity]}{mark}{_RESET}{text[len(mark) :]}")


def printed_record(text: str, records: Sequence[Mapping[str, Any]], coloured: bool = False) -> str:
    """The printed form of a finding's record, or of a remark without a record."""
    if not records:
        return plain(text)
    first = records[0]
    return printed(text, point(first), first["severity"], coloured)


def point(record: Mapping[str, Any]) -> Point | None:
    """The source line in a finding's record. Raises KeyError, TypeError for an invalid record."""
    known = record.get("point")
    if known is None:
        return None
    found = Point(known["path"], known["line"])
    if not isinstance(found.path, str) or type(found.line) is not int:
        raise TypeError
    return found


def summary(found: str, rest: str, severity: str, coloured: bool) -> str:
    """The last line: `found` in the colour of the worst severity, or in green if that is ""."""
    if not coloured:
        return plain(found + rest)
    colour = _COLOURS.get(severity, _GREEN)
    return Styled(f"{colour}{plain(found)}{_RESET}{plain(rest)}")


def has_colours(stream: TextIO) -> bool:
    """Return whether to write colours to a stream: it is a terminal, and
    `allows_colours` is true."""
    return allows_colours(os.environ) and stream.isatty()


def allows_colours(environment: Mapping[str, str]) -> bool:
    """Return whether the terminal has colours, and NO_COLOR (no-color.org) is not set."""
    return not environment.get("NO_COLOR") and environment.get("TERM", "dumb") != "dumb"


def _shortest(path: str) -> str:
    # Use the absolute path if it is shorter than a relative one with "..".
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):  # the working directory was removed, or the path contains NUL
        return path
    return min(path, relative, key=len) if os.path.isabs(path) else path
