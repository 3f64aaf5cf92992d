# SPDX-License-Identifier: MIT
"""Detect whether processes move. A process moves when an MPI call begins or returns.

Calls such as MPI_Test that find nothing do not count, because a program may repeat them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Optional

from mpipp.common.errors import MpippError
from mpipp.watcher.processes.process import WatchedProcess

# One value for each process, by its number; None if unknown.
Movement = Optional[list[tuple[int, object]]]

_OFTEN = 0.05  # seconds between two tests at least


def movement(running: Sequence[WatchedProcess]) -> Movement:
    """A value that changes when any process moves."""
    try:
        return [(one.pid, one.progress()) for one in running]
    except MpippError:
        return None


class MovementTracker:
    """Measures the time in which nothing has moved.

    Attributes:
        known: the movement at the last test.
        any_moved: True if it differs from the test before.
        since: the time of the last change (time.monotonic).
    """

    def __init__(self) -> None:
        self.known: Movement = None
        self.any_moved = False
        self.since = time.monotonic()
        self._looked = 0.0
        # For each process: its own movement, and the time of its last change.
        self._each: dict[int, tuple[object, float]] = {}

    def look(self, running: Sequence[WatchedProcess]) -> bool:
        """Test again for progress. Returns False if the last test was just before."""
        now = time.monotonic()
        if now - self._looked < _OFTEN:
            return False
        self._looked = now
        stopped = not running or any(one.is_stopped() for one in running)
        seen = None if stopped else movement(running)
        self.any_moved = seen is not None and seen != self.known
        if self.any_moved or seen is None:
            self.since = now
        if self.any_moved:
            self.known = seen
        before, self._each = self._each, {}
        for pid, moved in seen or ():
            was, since = before.get(pid, (None, now))
            self._each[pid] = (moved, since if moved == was else now)
        return True

    def standing(self, seconds: float) -> dict[int, object]:
        """The processes without movement for some seconds: by process id, their movement."""
        until = time.monotonic() - seconds
        return {pid: moved for pid, (moved, since) in self._each.items() if since <= until}
