# SPDX-License-Identifier: MIT
"""The stops of threads in all sessions of the client, and the reasons of these stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gdb

from mpipp.dap import stop_events
from mpipp.dap.stop_events import ThreadStop
from mpipp.gdb.debug_session import descriptions
from mpipp.gdb.debug_session.link import Timer
from mpipp.ranks.stops import Stop

_TOGETHER = 0.05  # seconds: stops within this time are reported together


class Stops:
    """Collects stops, and reports all stops within a short time at once.

    Args:
        report: is called with these stops.

    Attributes:
        last: the last stop of each thread.
    """

    def __init__(self, report: Callable[[Sequence[ThreadStop]], None]) -> None:
        self._report = report
        self.last: dict[int, ThreadStop] = {}
        self._reasons: dict[int, str] = {}  # by thread: why the client's request makes it stop
        self._unreported: list[ThreadStop] = []
        self._timer: Timer | None = None

    def expect(self, number: int, reason: str) -> None:
        """Remember why a thread will stop: at the end of a step, or because the client requested
        it."""
        self._reasons[number] = reason

    def note(
        self,
        thread: gdb.InferiorThread,
        stop: Stop,
        event: gdb.StopEvent,
        hit: Sequence[gdb.Breakpoint],
    ) -> None:
        """Note that a thread has stopped."""
        number = thread.global_num
        reason = _reason(event, hit, self._reasons.pop(number, ""))
        found = ThreadStop(number, reason, stop, tuple(one.number for one in hit))
        self.last[number] = found
        self._unreported.append(found)
        if self._timer is None:
            self._timer = Timer(_TOGETHER, self.report_all)

    def known(self, rank: int, number: int) -> ThreadStop:
        """Return the last stop of a thread. A thread without one has stopped because gdb
        attached."""
        attached = ThreadStop(number, stop_events.PAUSE, Stop(rank, "", ""))
        return self.last.get(number, attached)

    def report_all(self) -> None:
        """Report the stops that were not reported yet."""
        self._timer = None
        found, self._unreported = self._unreported, []
        if found:
            self._report(found)


def _reason(event: gdb.StopEvent, hit: Sequence[gdb.Breakpoint], asked: str) -> str:
    if isinstance(event, gdb.SignalEvent):
        is_asked = event.stop_signal in ("SIGSTOP", "SIGINT", "0")
        return stop_events.PAUSE if is_asked else stop_events.EXCEPTION
    if hit:
        is_data = descriptions.is_watchpoint(hit[0])
        return stop_events.DATA if is_data else stop_events.BREAKPOINT
    if isinstance(event, gdb.BreakpointEvent):  # a breakpoint that mpipp has set for itself
        return asked or stop_events.ENTRY
    return asked or stop_events.PAUSE
