# SPDX-License-Identifier: MIT
"""How files come into a run's directory."""

from __future__ import annotations

import contextlib
import os
import tempfile


def save(directory: str, name: str, content: bytes) -> None:
    """Write a file whole or not at all, below a directory that is made. Raises OSError."""
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    file, made = tempfile.mkstemp(prefix=".", dir=os.path.dirname(path))
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
        os.replace(made, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(made)
        raise
