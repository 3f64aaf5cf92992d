# SPDX-License-Identifier: MIT
"""Text in a page of HTML."""

from __future__ import annotations

from html import escape

from mpipp.common.text.sanitize import plain


def html(text: object) -> str:
    """As content of an element, or as an attribute between double quotes."""
    return escape(plain(str(text)), quote=True)
