# SPDX-License-Identifier: MIT
"""Writes the file that the user names for a picture."""

from __future__ import annotations

from mpipp.common.errors import MpippError


def write(path: str, text: str) -> str:
    """Write the file, and return a sentence that reports it. Raises MpippError."""
    try:
        with open(path, "w", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise MpippError(f"cannot write {path}: {error.strerror}") from None
    return f"written to {path}"
