# SPDX-License-Identifier: MIT
"""Which of the watched processes do not move, and who waits for whom there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.protocol import FINALIZED
from mpipp.watcher.output.channel import Output
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.labels import Shown, View
from mpipp.watcher.processes.process import GONE, RUNNING, Watched
from mpipp.watcher.processes.remote import Nodes
from mpipp.watcher.progress import silent_threads
from mpipp.watcher.progress.progress import Movement, Moving, movement
from mpipp.watcher.queries.stop_process import ProcessStopper

if TYPE_CHECKING:  # it takes some time to load
    from mpipp.analysis.deadlock.analysis import Knot
    from mpipp.watcher.progress import hang_report

_SHARE = 20  # of the time that passes, one part for explaining what some that stand wait for


class HangDetector:
    """Reports the `watched` processes that have not moved for `after` seconds (0: never)."""

    def __init__(
        self,
        watched: Sequence[Watched],
        after: float,
        reporter: Reporter,
        output: Output,
        stopper: ProcessStopper,
        nodes: Nodes,
    ) -> None:
        self._watched = watched
        self._after = after
        self._reporter = reporter
        self._output = output
        self._stopper = stopper
        self._nodes = nodes
        self._moving = Moving()
        self._gone = 0
        self._told: Movement = None
        self._told_some: dict[int, object] = {}
        self._some_from = 0.0  # when it may be looked again at some alone
        self._stuck: set[frozenset[str]] = set()  # those that were told never to go on
        self._remarked: set[object] = set()  # of what stood still, and may go on

    def look(self, findings: Callable[[list[Watched]], Iterable[Finding]]) -> None:
        """Again. `findings`: what else is found in processes that stand still."""
        gone = sum(one.state == GONE for one in self._watched)
        if gone != self._gone:  # the launcher is about to end the others: if not, they stand anew
            self._gone, self._moving = gone, Moving()
        after, moving = self._after, self._moving
        if not after or not moving.look(self._running()):
            return
        if moving.any_moved:
            self._nodes.moves()
            self._look_at_some()
        elif time.monotonic() - moving.since >= after:
            if self._told != moving.known:
                self._told = moving.known
                self._explain(findings)
            self._explain_all()

    def _look_at_some(self) -> None:
        # Others compute, or poll: those that wait for each other will stand whatever these do.
        standing = self._moving.standing(self._after)
        begun = time.monotonic()
        if standing == self._told_some or begun < self._some_from:
            return
        self._told_some = standing
        # Of one that has died, or ended the job, that is told: the launcher ends the others.
        rest = [one for one in self._watched if one.pid in standing or one.end == FINALIZED]
        of = [one for one in rest if self._reporter.can_read(one)]
        self._explain_some(of)
        self._some_from = time.monotonic() + _SHARE * (time.monotonic() - begun)

    def _explain_some(self, of: list[Watched]) -> None:
        try:
            if not any(one.inside() for one in of):
                return
            found = [one for one in self._stuck_of(of) if one.is_error]
        except MpippError:
            return  # it is said when all stand
        now = dict(movement([one for one in of if one.state == RUNNING]) or ())
        if all(now.get(pid) == moved for pid, moved in self._told_some.items()):
            self._report_stuck(found, of)

    def _stuck_of(
        self, of: list[Watched], polling_waits: bool = False
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
        """Whether it has reported that nothing moves, or that some processes can never continue."""
        return bool(self._told or self._stuck)

    def _running(self) -> list[Watched]:
        return [one for one in self._watched if one.state == RUNNING]

    def _explain(self, findings: Callable[[list[Watched]], Iterable[Finding]]) -> None:
        everybody = [one for one in self._watched if self._reporter.can_read(one)]
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
        # What has changed meanwhile may have been misread.
        if movement(self._running()) != self._moving.known:
            return
        self._report_stuck(self._unreported(found, others, View(everybody)), everybody)
        self._reporter.report(everybody, iter(others))
        for remark in remarks:
            self._remark(remark.text, remark.key)

    def _unreported(
        self, found: Iterable[hang_report.HangReport], others: Iterable[Finding], view: View
    ) -> list[hang_report.HangReport]:
        # Of processes in different collective calls a finding says more: which they are, also of
        # those whose calls are over, which wait for nobody.
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
            if self._stopper.is_asked_for  # which it does where they wait
            or one.record["kind"] != "mismatch"
            or not any(calls & one.calls for calls in meetings)
        ]

    def _remark(self, text: str, key: object) -> None:
        if key not in self._remarked:
            self._remarked.add(key)
            self._output.block(text, [])

    def _report_stuck(self, found: Iterable[hang_report.HangReport], of: Sequence[Shown]) -> None:
        # Who is to stop there is there already.
        view = View(of)
        for finding, text, record, is_error, who, _ in found:
            if any(who & before for before in self._stuck):
                continue  # others have come to wait for the same
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
                standing = self._stopper.standing(of, [finding])
                lines = [self._stopper.waiting_line(one) for one, _ in standing]
                self._output.block("\n".join([text, *lines]), [record])
                for one, tid in standing:
                    self._stopper.look_at(one, tid)

    def _explain_all(self) -> None:
        # With those of other nodes; who waits for each other on one node its watcher has told.
        everybody = [one for one in self._watched if self._reporter.can_read(one)]
        try:
            if not (others := self._nodes.stands(everybody)):
                return
            from mpipp.watcher.progress import hang_report

            members: list[Shown] = [*everybody, *others]
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
            self._reporter.note_not_checked(f"what processes of all nodes wait for: {error}")
            return
        if movement(self._running()) == self._moving.known:
            self._report_stuck(found, members)


def _may_call(of: Sequence[Shown]) -> Callable[[int], bool]:
    # Of a process of another node it is not known.
    def may_call(number: int) -> bool:
        one = of[number]
        return not isinstance(one, Watched) or silent_threads.may_call(one)

    return may_call
