# SPDX-License-Identifier: MIT
"""Escaping of text in XML. Python's own module for escaping is slow to import, because it loads
much network code."""

from __future__ import annotations

_CONTENT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED = {**_CONTENT, **str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})}


def escape(text: str) -> str:
    """Escape text for the content of an element."""
    return text.translate(_CONTENT)


def quoted(text: str) -> str:
    """Escape text for the value of an attribute, and add the quotes."""
    return f'"{text.translate(_QUOTED)}"'
