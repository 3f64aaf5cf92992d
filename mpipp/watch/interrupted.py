# SPDX-License-Identifier: MIT
"""What `mpipp run` says to the watchers of all nodes when the user ends the program."""

from __future__ import annotations

import contextlib
import os

from mpipp.agreement.saving import save

WAITING = "waiting"  # the folder in the run's directory of what watchers say to each other
_FILE = "interrupted"


def say(directory: str) -> None:
    """The user ends the program."""
    with contextlib.suppress(OSError):
        save(os.path.join(directory, WAITING), _FILE, b"")


def is_said(directory: str) -> bool:
    """Whether the user does."""
    return bool(directory) and os.path.exists(os.path.join(directory, WAITING, _FILE))
