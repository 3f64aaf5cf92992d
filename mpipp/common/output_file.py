# SPDX-License-Identifier: MIT
"""A file that the user names for a picture."""

from __future__ import annotations

from mpipp.common.errors import MpippError


def write(path: str, text: str) -> str:
    """Write the file, and return the sentence about it. Raises MpippError."""
    try:
        with open(path, "w", encoding="utf-8") as opened:
            opened.write(text)
    except OSError as error:
        raise MpippError(f"cannot write {path}: {error.strerror}") from None
    return f"written to {path}"
