# SPDX-License-Identifier: MIT
"""Whether anything moves in processes: any call of MPI has begun or returned.

But for those that look for something and find nothing, as often as the program likes (MPI_Test).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Optional

from mpipp.common.errors import MpippError
from mpipp.watcher.processes.process import Watched

Movement = Optional[list[tuple[int, object]]]  # of each process, by its number; None: not known

_OFTEN = 0.05  # seconds between looks


def movement(running: Sequence[Watched]) -> Movement:
    """What differs once anything has moved."""
    try:
        return [(one.pid, one.progress()) for one in running]
    except MpippError:
        return None


class Moving:
    """How long nothing has moved.

    Attributes:
        known: what was seen last.
        any_moved: whether that differs from what was seen before.
        since: from when on it does not, on the monotonic clock.
    """

    def __init__(self) -> None:
        self.known: Movement = None
        self.any_moved = False
        self.since = time.monotonic()
        self._looked = 0.0
        self._each: dict[int, tuple[object, float]] = {}  # by process: the same of it alone

    def look(self, running: Sequence[Watched]) -> bool:
        """Look again; returns False where it has just been looked."""
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
        """Those that have not moved for so long, by number: what differs once they have."""
        until = time.monotonic() - seconds
        return {pid: moved for pid, (moved, since) in self._each.items() if since <= until}
