# SPDX-License-Identifier: MIT
"""Findings without the parts that differ between machines."""

from __future__ import annotations

import functools
import re

# The source line before a finding, by its path from the working directory.
_POINT = re.compile(r"(?m)^(?:\S*/)?([^\s/]+:\d+: )(?=(?:error|warning|remark): )")


@functools.cache
def without_points(text: str) -> str:
    """Findings without the source line before them, which contains a path of this machine."""
    return _POINT.sub("", text)


def without_variables(text: str) -> str:
    """Findings without the variables that addresses lie in: `at 0x..., which is u[3]`."""
    return re.sub(
        r", which is (?!not )[^,\n\"\\]*?(?= of (?:neighbor|rank) | and |[,\n\"\\]|$)", "", text
    )


def with_short_points(text: str) -> str:
    """Findings with short paths, as in the directory of their source."""
    return _POINT.sub(r"\1", text)
