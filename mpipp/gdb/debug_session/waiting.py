# SPDX-License-Identifier: MIT
"""A wait until ranks have stopped, with a merged report of their stops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mpipp.common.text import wording
from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.debug_session.link import Timer
from mpipp.ranks import stops
from mpipp.ranks.stops import Stop

PATIENCE = 3.0  # seconds before mpipp reports ranks that have not stopped
_TOGETHER = 0.05  # seconds in which stops outside a wait are collected


class Waiting:
    """One wait at a time, and the stops that are not reported yet.

    Args:
        write: writes lines outside a wait.
        finish: writes the last lines of a wait.
        where: returns the place of a running rank.
        hint: how the user stops the ranks.
    """

    def __init__(
        self,
        write: Callable[[Iterable[str]], None],
        finish: Callable[[Iterable[str]], None],
        where: Callable[[int], str],
        hint: str,
    ) -> None:
        self._write, self._finish, self._where, self._hint = write, finish, where, hint
        self._expected: set[int] | None = None  # None: no command waits
        self._patience = PATIENCE
        self._stops: list[Stop] = []
        self._timer: Timer | None = None
        self._is_told = False

    @property
    def is_active(self) -> bool:
        """Return whether a command waits."""
        return self._expected is not None

    @property
    def expected(self) -> frozenset[int]:
        """The ranks that have not stopped yet."""
        return frozenset(self._expected or ())

    def begin(self, ranks: Iterable[int], patience: float = PATIENCE) -> None:
        """Wait for these ranks; report after `patience` seconds without a stop."""
        self._expected, self._patience = set(ranks), patience
        self._is_told = False
        self._set_timer(self._patience, self._late)

    def add(self, stop: Stop) -> None:
        """Note that a rank has stopped or ended."""
        self._stops.append(stop)
        if self._expected is None:
            self._set_timer(_TOGETHER, self.report)
            return
        self._expected.discard(stop.rank)
        if self._expected:
            self._set_timer(self._patience, self._late)
        else:
            self._cancel()
            gdb_thread.post(self._arrived)  # later, because gdb still handles the stop

    def end(self) -> None:
        """End the wait, and report the stops so far."""
        self._cancel()
        lines = [*stops.lines(self._taken()), *self._missing()]
        self._expected = None
        self._finish(lines)

    def abandon(self) -> None:
        """End the wait without a report."""
        self._cancel()
        self._expected = None
        self._stops.clear()

    def report(self) -> None:
        """Report the stops outside a wait at once."""
        if self._expected is None and self._stops:
            self._write(stops.lines(self._taken()))

    def _arrived(self) -> None:
        if self._expected is not None and not self._expected:
            self.end()

    def _late(self) -> None:
        if self._expected is None:
            return
        if self._stops:
            self.end()
        elif not self._is_told:
            self._is_told = True
            self._write([*self._missing(), self._hint])

    def _missing(self) -> Iterator[str]:
        groups: dict[str, list[int]] = {}
        for rank in sorted(self._expected or ()):
            groups.setdefault(self._where(rank), []).append(rank)
        for place, ranks in groups.items():
            yield f"{wording.verb(ranks, 'has', 'have')} not stopped: {place}"

    def _taken(self) -> list[Stop]:
        found, self._stops = self._stops, []
        return found

    def _set_timer(self, seconds: float, action: Callable[[], None]) -> None:
        self._cancel()
        self._timer = Timer(seconds, action)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
