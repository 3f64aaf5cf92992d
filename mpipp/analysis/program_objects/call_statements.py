# SPDX-License-Identifier: MIT
"""Calls of MPI in the text of source statements, in Fortran or C."""

from __future__ import annotations

import re
from collections.abc import Iterator

# The end of a line that the next one continues, in free form, and in fixed form.
_CONTINUED = re.compile(
    r"&[ \t]*(?:![^\n]*)?\n(?:[ \t]*(?:![^\n]*)?\n)*(?:[ \t]*&)?|[ \t]*(?:![^\n]*)?\n     [^\s0]"
)


def arguments(statement: str, procedure: str) -> list[str]:
    """Return the texts of the arguments of a procedure's first call; [] if there is none."""
    whole = _CONTINUED.sub("", statement)
    call = re.search(rf"\b{procedure}\s*\(", whole, re.IGNORECASE)
    return [] if call is None else [one.strip() for one in split(whole, call.end())]


def split(text: str, start: int) -> Iterator[str]:
    """Yield the texts between commas, up to the closing parenthesis."""
    depth, begin = 0, start
    for at in range(start, len(text)):
        if text[at] in ",)" and depth == 0:
            yield text[begin:at]
            begin = at + 1
            if text[at] == ")":
                return
        depth += (text[at] == "(") - (text[at] == ")")
