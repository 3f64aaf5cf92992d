# SPDX-License-Identifier: MIT
"""Flags of a run for `mpipp run` and the watchers of all nodes, as empty files."""

from __future__ import annotations

import contextlib
import os

from mpipp.common.run_directory import WAITING, RunDirectory

INTERRUPTED = "interrupted"  # the user, or `mpipp run`, ends the program
HANGS = "hangs"  # a watcher on another node than the launcher requests the end of the job


def say(directory: str, flag: str) -> None:
    """Set a flag of a run."""
    with contextlib.suppress(OSError):
        RunDirectory(directory).publish(f"{WAITING}/{flag}", b"")


def is_set(directory: str, flag: str) -> bool:
    """Return whether a flag is set."""
    return bool(directory) and os.path.exists(os.path.join(directory, WAITING, flag))
