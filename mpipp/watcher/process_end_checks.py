# SPDX-License-Identifier: MIT
"""The checks of processes that rest: they wait at their end, or have died."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.analysis import all_checks
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.rules import deadlocks, leaks
from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.protocol import AT_WORK, FINALIZED, LOOKED
from mpipp.watcher.nodes.process_exits import ProcessExits
from mpipp.watcher.output.channel import Output
from mpipp.watcher.output.node_results import ProcessFiles
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes import abnormal_exit
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.processes.process_table import ProcessTable
from mpipp.watcher.progress.hang_detector import HangDetector


class ProcessEndChecks:
    """Runs the checks on resting processes, and reports the findings.

    Args:
        between: True to compare processes with each other.
        files: the files that processes leave for other nodes.
    """

    def __init__(
        self,
        table: ProcessTable,
        exits: ProcessExits,
        hang_detector: HangDetector,
        reporter: Reporter,
        output: Output,
        files: ProcessFiles,
        between: bool,
    ) -> None:
        self._table = table
        self._exits = exits
        self._hang_detector = hang_detector
        self._reporter = reporter
        self._output = output
        self._files = files
        self._between = between
        self._checked: object = None  # the state of the processes at the last check
        self._unfreed: set[int] = set()  # processes that may still free objects after MPI_Finalize
        # Comparisons between processes that must wait until more processes rest.
        self._unsure: list[str] = []

    def check_hangs(self) -> None:
        """Report hanging processes, with the findings of other checks in them."""
        self._hang_detector.look(self._findings)

    def check(self) -> None:
        """Check all resting processes, and let the waiting ones continue."""
        self.say_at_work()
        resting = self._table.resting
        self._output.show_progress(len(resting))
        known = [one for one in resting if self._reporter.can_read(one)]
        for sentence in self._files.leave(known, self._table.watched):
            self._reporter.note_not_checked(sentence)
        as_they_are = [(one, one.end, one.calls) for one in known]
        found: list[Finding] = []
        if as_they_are != self._checked:
            self._checked = as_they_are
            self._unsure.clear()
            found = list(self._findings(known))
        causes = abnormal_exit.of_last_calls(found, known)
        self._reporter.report(known, causes)
        self._exits.report()
        self._reporter.report(known, (one for one in found if one not in causes))
        self._output.show_progress(0)
        for one in self._table.waiting:
            one.answer(LOOKED)

    def say_at_work(self) -> None:
        """Notify the waiting processes that the watcher is still busy."""
        for one in self._table.waiting:
            one.answer(AT_WORK)

    def check_unfreed(self) -> None:
        """Report objects that processes did not free before their exit, which came after
        MPI_Finalize."""
        unfreed = (one for one in self._table.watched if one.pid in self._unfreed)
        ended = [one for one in unfreed if one.exits or not goes_on(one.pid)]
        if not ended:
            return
        self._output.show_progress(len(ended))
        kept = [one for one in ended if self._reporter.can_read(one)]

        def failed(process: Process | None, error: MpippError) -> None:
            assert process
            self._reporter.note_not_checked(f"process {kept[process.number].pid}: {error}")

        processes = [one.process(number) for number, one in enumerate(kept)]
        found = all_checks.leak_findings(processes, failed)
        self._reporter.report(kept, (each for each in found if each.rule in leaks.UNTIL_EXIT))
        self._output.show_progress(0)

    @property
    def unsure(self) -> Sequence[str]:
        """Sentences on checks of several processes that the last check did not make."""
        return self._unsure

    def _findings(self, resting: list[WatchedProcess]) -> Iterator[Finding]:
        processes = [one.process(number) for number, one in enumerate(resting)]
        view = View(resting)

        def failed(process: Process | None, error: MpippError) -> None:
            asked = resting if process is None else [resting[process.number]]
            if self._files.has_reported(error) or any(one.memory.not_there for one in asked):
                return
            who = f"{view.label(process.number)}: " if process else ""
            (self._reporter.note_not_checked if process else self._unsure.append)(f"{who}{error}")

        watched = self._table.watched
        left = self._files.logged_processes(resting, watched)
        is_all = self._between and len(resting) == len(watched)
        for finding in all_checks.findings(
            processes, failed, between_too=self._between, left=left, spawned_too=is_all
        ):
            one = resting[finding.parties[0].process]
            if finding.rule in leaks.UNTIL_EXIT and one.end == FINALIZED:
                self._unfreed.add(one.pid)
            # Skip a process that waits for a dead one, or is part of a reported hang.
            elif finding.rule not in deadlocks.RULES or not (
                self._exits or self._hang_detector.has_reported
            ):
                yield finding
