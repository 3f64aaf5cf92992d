# SPDX-License-Identifier: MIT
"""How files come into a run's directory, and which are there."""

from __future__ import annotations

import contextlib
import os

PROCESSES, NODES = "processes", "nodes"  # folders with a file for each process, or watcher
STRICT = "strict"  # one with what watchers decide together of calls before they begin
STARTED = "started-"  # how folders in that one begin, of calls that have begun


def save(directory: str, name: str, content: bytes) -> None:
    """Write a file whole or not at all, below a directory that is made. Raises OSError."""
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # As tempfile does it, which takes some time to load.
    made = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}")
    file = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(content)
        os.replace(made, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(made)
        raise


def paths(directory: str) -> list[str]:
    """The files of a directory that are whole; none if it is not there."""
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    return [os.path.join(directory, name) for name in names if not name.startswith(".")]
