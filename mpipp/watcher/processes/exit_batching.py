# SPDX-License-Identifier: MIT
"""When to look at processes that come to their ends one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from mpipp.watcher.ipc.protocol import AT_WORK
from mpipp.watcher.processes.process import Watched

_SOON = 1.0  # seconds in which the next of them comes
_MOST = 10.0  # seconds, from the first on
_SAY = 0.5  # seconds; who waits for the watcher goes on after two without a word


class Together:
    """They are looked at when no other has come for a while: what all do is told once."""

    def __init__(self) -> None:
        self._first = self._said = 0.0
        self._due: float | None = None

    def forget(self) -> None:
        """They are looked at for another reason: who comes now changes nothing."""
        self._due = None

    def due(self, before: float | None, now: float, waiting: Iterable[Watched]) -> float:
        """When to look, now that one more has come.

        Args:
            before: when it was due until now, perhaps for another reason, which stays.
            waiting: those that have come, which are told to wait on.
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
