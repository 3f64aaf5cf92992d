# SPDX-License-Identifier: MIT
"""Detect whether processes move: a process moves when an MPI call has begun or returned.

Calls that test for something and find nothing do not count (MPI_Test): a program may repeat them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Optional

from mpipp.common.errors import MpippError
from mpipp.watcher.processes.process import WatchedProcess

Movement = Optional[list[tuple[int, object]]]  # of each process, by its number; None: unknown

_OFTEN = 0.05  # seconds between two looks


def movement(running: Sequence[WatchedProcess]) -> Movement:
    """A value that changes when any process moves."""
    try:
        return [(one.pid, one.progress()) for one in running]
    except MpippError:
        return None


class MovementTracker:
    """Measures how long nothing has moved.

    Attributes:
        known: the movement that was seen last.
        any_moved: True if it differs from what was seen before.
        since: the time since which it has not changed, on the monotonic clock.
    """

    def __init__(self) -> None:
        self.known: Movement = None
        self.any_moved = False
        self.since = time.monotonic()
        self._looked = 0.0
        # by process: its own movement, and the time since which it has not changed
        self._each: dict[int, tuple[object, float]] = {}

    def look(self, running: Sequence[WatchedProcess]) -> bool:
        """Look again. Return False if the last look was just before."""
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
        """The processes that have not moved for so many seconds: by number, their movement."""
        until = time.monotonic() - seconds
        return {pid: moved for pid, (moved, since) in self._each.items() if since <= until}
