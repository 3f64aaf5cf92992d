# SPDX-License-Identifier: MIT
"""Escape text for HTML."""

from __future__ import annotations

from html import escape

from mpipp.common.text.sanitize import plain


def html(text: object) -> str:
    """Escape text for the content of an element, or for an attribute in double quotes."""
    return escape(plain(str(text)), quote=True)
