# SPDX-License-Identifier: MIT
"""What `mpipp run` says to the watchers of all nodes when the user ends the program."""

from __future__ import annotations

import contextlib
import os

from mpipp.common.run_directory import WAITING, RunDirectory

_FILE = f"{WAITING}/interrupted"


def say(directory: str) -> None:
    """The user ends the program."""
    with contextlib.suppress(OSError):
        RunDirectory(directory).publish(_FILE, b"")


def is_set(directory: str) -> bool:
    """Whether the user interrupts the run."""
    return bool(directory) and os.path.exists(os.path.join(directory, _FILE))
