# SPDX-License-Identifier: MIT
"""A front end that follows a job: another one than gdb's terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import gdb

from mpipp.ranks.stops import Stop


class Front(Protocol):
    """The place to which the session writes, and which waits while ranks run.

    Attributes:
        hint: how the user stops the ranks that a command waits for.
    """

    hint: str

    @property
    def is_closed(self) -> bool:
        """Return whether input waits."""

    def close(self) -> None:
        """Hold back input: ranks run."""

    def open(self, lines: Iterable[str]) -> None:
        """Write lines, and let input in."""

    def write(self, lines: Iterable[str]) -> None:
        """Write lines that no command was asked for."""


class Observer:
    """Follows the events of a job. This one does nothing, as for a user at the terminal."""

    def attached(self, proceed: Callable[[], None]) -> None:
        """All ranks have stopped before they begin; `proceed` lets them begin."""
        proceed()

    def stopped(
        self,
        stop: Stop,
        thread: gdb.InferiorThread,
        event: gdb.StopEvent,
        hit: Sequence[gdb.Breakpoint],
    ) -> None:
        """A thread has stopped, perhaps at some breakpoints."""

    def exited(self, stop: Stop) -> None:
        """A rank has ended."""

    def ended(self, sentence: str, status: int | None) -> None:
        """The job has ended; with no status if it could not be started, or the link is lost."""

    def request(self, message: Mapping[str, Any]) -> None:
        """A request of a debug adapter's client."""
