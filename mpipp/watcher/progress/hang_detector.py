# SPDX-License-Identifier: MIT
"""Find watched processes that do not move, and the calls that they wait for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.protocol import FINALIZED
from mpipp.watcher.output.channel import Output
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.labels import ShownProcess, View
from mpipp.watcher.processes.process import GONE, RUNNING, WatchedProcess
from mpipp.watcher.processes.remote import Nodes
from mpipp.watcher.progress import silent_threads
from mpipp.watcher.progress.movement import Movement, MovementTracker, movement
from mpipp.watcher.queries.process_stopper import ProcessStopper

if TYPE_CHECKING:  # slow to import
    from mpipp.analysis.deadlock.analysis import Knot
    from mpipp.watcher.progress import hang_report

_SHARE = 20  # analysis of still processes takes at most one part in this many of the time


class HangDetector:
    """Reports the `watched` processes that have not moved for `after` seconds (0: never).

    With `ends_hung` it reports the stacks of all processes, and then requests the end of the job.
    """

    def __init__(
        self,
        watched: Sequence[WatchedProcess],
        after: float,
        reporter: Reporter,
        output: Output,
        stopper: ProcessStopper,
        nodes: Nodes,
        ends_hung: bool = False,
    ) -> None:
        self._watched = watched
        self._ends_hung = ends_hung
        self._has_ended = False  # the launcher was asked to end the job
        self._has_stacks = False  # the stacks were reported
        self._after = after
        self._reporter = reporter
        self._output = output
        self._stopper = stopper
        self._nodes = nodes
        self._moving = MovementTracker()
        self._gone = 0
        self._reported: Movement = None
        self._reported_deadlocked: dict[int, object] = {}
        # The time of the next analysis of still processes, while others move.
        self._some_from = 0.0
        self._stuck: set[frozenset[str]] = set()  # the groups with a reported deadlock
        # Remarks on still processes that may continue.
        self._remarked: set[object] = set()

    def look(self, findings: Callable[[list[WatchedProcess]], Iterable[Finding]]) -> None:
        """Test for movement. `findings` returns the findings of other checks in processes that
        hang."""
        gone = sum(one.state == GONE for one in self._watched)
        # After a death the launcher ends the other processes. If the launcher does not, report
        # these processes again.
        if gone != self._gone:
            self._gone, self._moving = gone, MovementTracker()
        after, moving = self._after, self._moving
        if not after or self._has_ended or not moving.look(self._running()):
            return
        if moving.any_moved:
            self._nodes.moves()
            self._check_deadlocked()
        elif time.monotonic() - moving.since >= after:
            if self._reported != moving.known:
                self._reported = moving.known
                self._explain(findings)
            self._explain_all()

    def _check_deadlocked(self) -> None:
        # Other processes compute or poll. Processes that only wait for each other stay deadlocked.
        standing = self._moving.standing(self._after)
        begun = time.monotonic()
        if standing == self._reported_deadlocked or begun < self._some_from:
            return
        self._reported_deadlocked = standing
        # Leave out processes that have died, or ended the job. The ends of these processes are
        # reported, and the launcher ends the others.
        rest = [one for one in self._watched if one.pid in standing or one.end == FINALIZED]
        of = [one for one in rest if self._reporter.can_read(one)]
        self._explain_deadlocked(of)
        self._some_from = time.monotonic() + _SHARE * (time.monotonic() - begun)

    def _explain_deadlocked(self, of: list[WatchedProcess]) -> None:
        try:
            if not any(one.inside() for one in of):
                return
            found = [one for one in self._stuck_of(of) if one.is_error]
        except MpippError:
            return  # reported when no process moves any more
        now = dict(movement([one for one in of if one.state == RUNNING]) or ())
        if all(now.get(pid) == moved for pid, moved in self._reported_deadlocked.items()):
            self._report_stuck(found, of)
            if found:
                self._end(self._readable())

    def _stuck_of(
        self, of: list[WatchedProcess], polling_waits: bool = False
    ) -> list[hang_report.HangReport]:
        from mpipp.watcher.progress import hang_report

        for one in of:
            one.places.refresh()
        view = View(of)
        processes = [one.process(number) for number, one in enumerate(of)]
        pictured = self._reporter.pictured(of, view.label)
        may_call = _may_call(of)
        return list(
            hang_report.hang_reports(
                processes, view, pictured, may_call, polling_waits=polling_waits
            )
        )

    @property
    def has_reported(self) -> bool:
        """Return whether a hang or a deadlock was reported."""
        return bool(self._reported or self._stuck)

    def _readable(self) -> list[WatchedProcess]:
        return [one for one in self._watched if self._reporter.can_read(one)]

    def _running(self) -> list[WatchedProcess]:
        return [one for one in self._watched if one.state == RUNNING]

    def _explain(self, findings: Callable[[list[WatchedProcess]], Iterable[Finding]]) -> None:
        everybody = self._readable()
        found: list[hang_report.HangReport] = []
        others: list[Finding] = []
        remarks: list[hang_report.Remark] = []
        try:
            found = self._stuck_of(everybody) or self._stuck_of(everybody, polling_waits=True)
            if not found:
                from mpipp.watcher.progress import hang_report

                processes = [one.process(number) for number, one in enumerate(everybody)]
                remarks = list(hang_report.standing(processes, View(everybody), self._after))
            others = list(findings(everybody))
        except MpippError as error:
            self._reporter.note_not_checked(str(error))
        # If the state has changed meanwhile, the analysis may be wrong.
        if movement(self._running()) != self._moving.known:
            return
        self._report_stuck(self._unreported(found, others, View(everybody)), everybody)
        self._reporter.report(everybody, iter(others))
        for remark in remarks:
            self._remark(remark.text, remark.key)
        if found or remarks:
            self._end(everybody)

    def _end(self, of: Sequence[ShownProcess]) -> None:
        # End the job if the user wants it. Later findings are not reported.
        if not self._ends_hung or self._has_ended:
            return
        self._has_ended = True
        if lines := self._stacks(of):
            self._output.block("\n".join(lines), [])
        self._output.hangs()

    def _with_stacks(self, text: str, record: dict[str, Any], of: Sequence[ShownProcess]) -> str:
        # The text of a report, with the stacks of all processes if the job is to be ended. The
        # report's record for JSON gets the stacks, too.
        stacks = self._stacks(of)
        if not stacks:
            return text
        from mpipp.watcher.progress import hang_report

        return hang_report.with_stacks(record, stacks)

    def _stacks(self, of: Sequence[ShownProcess]) -> list[str]:
        # The stacks of all processes, on all nodes; only once, and only if the job is to be ended.
        if not self._ends_hung or self._has_stacks:
            return []
        from mpipp.watcher.progress import held_resources, stacks

        self._has_stacks = True
        every = [*of, *(one for one in self._readable() if one not in of)]
        return [*stacks.lines(every, may_stop=True), *held_resources.lines(every)]

    def _unreported(
        self, found: Iterable[hang_report.HangReport], others: Iterable[Finding], view: View
    ) -> list[hang_report.HangReport]:
        # Leave out a deadlock in different collective calls if a finding reports those calls. The
        # finding says more, and also names processes that have completed their calls.
        collected = self._reporter.collected
        meetings = [
            {(party.process, party.site.address) for party in one.placed}
            for one in others
            if one.rule.check == "collective-mismatch"
            and collected.is_chosen(one)
            and not collected.has_suppression(one, view.frames)
        ]
        return [
            one
            for one in found
            if self._stopper.is_asked_for  # a process can stop at each of its deadlocks
            or one.record["kind"] != "mismatch"
            or not any(calls & one.calls for calls in meetings)
        ]

    def _remark(self, text: str, key: object) -> None:
        if key not in self._remarked:
            self._remarked.add(key)
            self._output.block(text, [])

    def _report_stuck(
        self, found: Iterable[hang_report.HangReport], of: Sequence[ShownProcess]
    ) -> None:
        # A process that has to stop in a deadlocked call already waits in that call, so send no
        # stop.
        view = View(of)
        for finding, text, record, is_error, who, _ in found:
            if any(who & before for before in self._stuck):
                continue  # more processes have joined a reported deadlock
            places = [frame for party in finding.placed for frame in view.frames(party)]
            if not self._reporter.collected.is_chosen(finding):
                continue
            if self._reporter.collected.is_suppressed(("deadlock", finding.rule.id), places):
                continue
            if not is_error:
                self._remark(text, text)
            else:
                self._stuck.add(who)
                self._reporter.collected.count("error")
                whole = self._with_stacks(text, record, of)
                standing = self._stopper.standing(of, [finding])
                lines = [self._stopper.waiting_line(one) for one, _ in standing]
                self._output.block("\n".join([whole, *lines]), [record])
                for one, tid in standing:
                    self._stopper.look_at(one, tid)

    def _explain_all(self) -> None:
        # Explain the hang together with processes of other nodes. Each watcher has already reported
        # deadlocks within its node.
        everybody = self._readable()
        try:
            if not (others := self._nodes.stands(everybody)):
                return
            from mpipp.watcher.progress import hang_report

            members: list[ShownProcess] = [*everybody, *others]
            view = View(members)
            here = {one.registry.info.world_rank for one in everybody}

            def is_of_several(knot: Knot) -> bool:
                return len({rank in here for rank in (*knot.ranks, *knot.ended)}) == 2

            processes = [one.process(number) for number, one in enumerate(members)]
            pictured = self._reporter.pictured(members, view.label)
            may_call = _may_call(members)
            for polling_waits in (False, True):
                given = (processes, view, pictured, may_call, is_of_several, polling_waits)
                if found := list(hang_report.hang_reports(*given)):
                    break
        except (MpippError, OSError) as error:
            self._reporter.note_not_checked(f"deadlocks between nodes: {error}")
            return
        if movement(self._running()) == self._moving.known:
            self._report_stuck(found, members)
            if found:
                self._end(members)


def _may_call(of: Sequence[ShownProcess]) -> Callable[[int], bool]:
    # For a process on another node, assume that its silent threads may call MPI: this is unknown.
    def may_call(number: int) -> bool:
        one = of[number]
        return not isinstance(one, WatchedProcess) or silent_threads.may_call(one)

    return may_call
