# SPDX-License-Identifier: MIT
"""Text of a program as a report may have it: nothing in it is obeyed by a terminal or a browser."""

from __future__ import annotations

import re
from html import escape

# What a terminal obeys, halves of surrogates, and what changes the direction of other characters.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def plain(text: str) -> str:
    """The text with such characters written as `\\x1b`; new lines and tabs stay."""
    return _CONTROL.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def html(text: object) -> str:
    """As content of an element of HTML, or as an attribute between double quotes."""
    return escape(plain(str(text)), quote=True)
