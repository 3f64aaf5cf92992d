# SPDX-License-Identifier: MIT
"""Growth of the number of objects in running processes, checked about once a second.

A process is read only if it has many records. A check compares the number of objects from one place
with the previous check. So a program that creates many objects at once and then uses them gets no
report.
"""

from __future__ import annotations

import contextlib
import time
from typing import NamedTuple

from mpipp.analysis.all_checks import cited
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.objects import growth
from mpipp.common.errors import MpippError
from mpipp.model import KINDS, Site
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.process import RUNNING, WatchedProcess
from mpipp.watcher.processes.process_table import ProcessTable

_INTERVAL = 1.0  # seconds between checks
_SHARE = 0.05  # share of the time that checks may take
_STEP = 10  # report again after the number has grown by this factor


class _Sample(NamedTuple):
    at: float
    number: int
    next: int  # the number at which to report next


class Growth:
    """Reports growing numbers of objects in running processes.

    Args:
        is_chosen: True if the user selected the check.
    """

    def __init__(self, table: ProcessTable, reporter: Reporter, is_chosen: bool) -> None:
        self._table = table
        self._reporter = reporter
        self._is_chosen = is_chosen
        self._seen: dict[tuple[WatchedProcess, str, Site], _Sample] = {}
        self._next = time.monotonic() + _INTERVAL

    def report_if_due(self) -> None:
        """Run the check of growth if it is due."""
        if self._is_chosen and time.monotonic() >= self._next:
            found = self._look()
            if found:
                self._reporter.report(self._table.watched, found)

    def _look(self) -> list[Finding]:
        start = time.monotonic()
        found: list[Finding] = []
        watched = self._table.watched
        processes = [one.process(number) for number, one in enumerate(watched)]
        for one, process in zip(watched, processes):
            if one.state == RUNNING and not one.is_left_out:
                # Processes that have ended are checked at their end.
                with contextlib.suppress(MpippError):
                    one.refresh()
                    found += self._of(one, process, start)
        took = time.monotonic() - start
        self._next = start + took + max(_INTERVAL, took / _SHARE)
        return cited(found, processes)

    def _of(self, one: WatchedProcess, process: Process, now: float) -> list[Finding]:
        found = []
        for made in growth.many(process, KINDS):
            key = one, made.kind, made.site
            before = self._seen.get(key) or _Sample(now, made.number, growth.MANY)
            grows = made.number > before.number and made.number >= before.next
            self._seen[key] = before._replace(at=now, number=made.number)
            if not grows:
                continue
            rate = (made.number - before.number) / (now - before.at)
            one.places.refresh()
            finding = growth.growing(process, made, rate)
            if finding is not None:
                self._seen[key] = _Sample(now, made.number, _next(before.next, made.number))
                found.append(finding)
        return found


def _next(before: int, number: int) -> int:
    while before <= number:
        before *= _STEP
    return before
