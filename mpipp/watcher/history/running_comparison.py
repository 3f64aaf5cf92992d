# SPDX-License-Identifier: MIT
"""The comparison of messages and collective calls while processes run, with its reports."""

from __future__ import annotations

import time

from mpipp.watcher.history.periodic_compare import HistoryComparison
from mpipp.watcher.ipc.protocol import CollectiveQuery
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.collective_comparison import STOPS
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.process_table import ProcessTable
from mpipp.watcher.queries.process_stopper import ProcessStopper

_LOOKS, _BETWEEN = 3, 0.005  # readings of the histories if calls disagree, and seconds between them


class RunningComparison:
    """Compares the call histories of running processes, and reports new findings.

    Args:
        is_chosen: True if the user selected a check that needs it.
    """

    def __init__(
        self, table: ProcessTable, reporter: Reporter, stopper: ProcessStopper, is_chosen: bool
    ) -> None:
        self._table = table
        self._reporter = reporter
        self._stopper = stopper
        self._is_chosen = is_chosen
        self._histories = HistoryComparison()

    @property
    def due(self) -> float | None:
        """The time of the next comparison; None if no process runs."""
        return self._histories.due if self._is_chosen and self._table.running else None

    def compare_if_due(self) -> None:
        """Run the comparison if it is due."""
        if self.due is not None and time.monotonic() >= self.due:
            self._compare()

    def compare_calls(self, asking: CollectiveQuery) -> int:
        """Answer a process whose nonblocking collective call seems to differ from that of the
        others.

        Returns 0 without a finding, else 1, combined with STOPS if the process has to stop.
        """
        # Each reading compares the calls that existed at the one before.
        by_pid = {one.pid: one for one in self._table.running}
        for _ in range(_LOOKS if self._is_chosen else 0):
            stops = by_pid.get(asking.pid) if self._stopper.is_asked_for else None
            if self._compare(self._stopper.line(stops) if stops else ""):
                if stops:
                    self._stopper.stop(stops, asking.tid)
                return 1 | STOPS if stops else 1
            time.sleep(_BETWEEN)
        return 0

    def _compare(self, line: str = "") -> bool:
        # Return whether any finding is new. `line` is added to each report.
        watched = self._table.watched
        found = self._histories.look(watched)
        if not found:
            return False
        for one in self._table.running:
            one.places.refresh()
        any_new = self._reporter.report(watched, iter(found), line)
        self._reporter.before.add(found, View(watched).where)
        return any_new
