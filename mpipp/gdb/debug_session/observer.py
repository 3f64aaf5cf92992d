# SPDX-License-Identifier: MIT
"""The interface of a front end that follows a job, for example a debug adapter instead of gdb's
terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import gdb

from mpipp.ranks.stops import Stop


class Front(Protocol):
    """The place to which the session writes, and from which the user's input comes.

    Attributes:
        hint: how the user stops the ranks that a command waits for.
        after_end: follows the sentence about the end of the job.
    """

    hint: str
    after_end: str

    @property
    def is_closed(self) -> bool:
        """Return whether input is held back."""

    def close(self) -> None:
        """Hold back input while ranks run."""

    def open(self, lines: Iterable[str]) -> None:
        """Write lines, and accept input again."""

    def write(self, lines: Iterable[str]) -> None:
        """Write lines that are not the answer to a command."""


class Observer:
    """A front end that follows the events of a job. This class ignores the events: gdb itself
    prints them on the terminal."""

    def attached(self, proceed: Callable[[], None]) -> None:
        """All ranks have stopped before `main`. Call `proceed` to let them begin."""
        proceed()

    def stopped(
        self,
        stop: Stop,
        thread: gdb.InferiorThread,
        event: gdb.StopEvent,
        hit: Sequence[gdb.Breakpoint],
    ) -> None:
        """A thread has stopped, perhaps at the breakpoints `hit`."""

    def exited(self, stop: Stop) -> None:
        """A rank has ended."""

    def ended(self, sentence: str, status: int | None) -> None:
        """The job has ended. `status` is None if the job could not be started, or if the link to it
        is lost."""

    def request(self, message: Mapping[str, Any]) -> None:
        """The client of a debug adapter has sent a request."""
