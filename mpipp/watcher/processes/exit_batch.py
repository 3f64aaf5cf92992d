# SPDX-License-Identifier: MIT
"""The time to check processes that end one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.watcher.ipc.protocol import AT_WORK
from mpipp.watcher.processes.process import WatchedProcess

_SOON = 1.0  # seconds in which another process is likely to end
_MOST = 10.0  # seconds after the first end
_SAY = 0.5  # seconds between messages: a process stops waiting after two seconds without one


class ExitBatch:
    """Delays the check until no process has ended for a while, so that one report covers all."""

    def __init__(self) -> None:
        self._first = self._said = 0.0
        self._due: float | None = None

    def forget(self) -> None:
        """Reset the delay, because the processes are checked for another reason."""
        self._due = None

    def due(self, before: float | None, now: float, waiting: Iterable[WatchedProcess]) -> float:
        """The time of the check, after one more process has ended.

        Args:
            before: the time of the check until now. A time that was set for another reason stays.
            waiting: the processes at their end, which get a message so that they keep waiting.
        """
        if before is None:
            self._first = self._said = now
        elif before != self._due:
            return before
        if now - self._said > _SAY:
            self._said = now
            for one in waiting:
                one.answer(AT_WORK)
        self._due = max(before or now, min(now + _SOON, self._first + _MOST))
        return self._due
