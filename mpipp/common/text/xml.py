# SPDX-License-Identifier: MIT
"""Text in XML. The module that Python has for it loads half of what there is for the network."""

from __future__ import annotations

_CONTENT = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED = {**_CONTENT, **str.maketrans({'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})}


def escape(text: str) -> str:
    """As content of an element."""
    return text.translate(_CONTENT)


def quoted(text: str) -> str:
    """As the value of an attribute, with its quotes."""
    return f'"{text.translate(_QUOTED)}"'
