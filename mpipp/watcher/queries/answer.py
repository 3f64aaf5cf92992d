# SPDX-License-Identifier: MIT
"""Questions are answered: what is found is told soon after, once for all processes that asked."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from mpipp.analysis import all_checks
from mpipp.analysis.buffers import (
    access_while_pending,
    changed_while_pending,
    freed_while_pending,
)
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.processes import query_records
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import GONE, RUNNING, Watched
from mpipp.watcher.processes.strict_comparison import STOPS
from mpipp.watcher.queries import error_class as error_classes
from mpipp.watcher.queries import window_sizes
from mpipp.watcher.queries.deduplicate_accesses import Touches
from mpipp.watcher.queries.stop_process import ProcessStopper

_SOON = 1.0  # seconds in which other processes ask the same


class QueryHandler:
    """Answers the queries of processes.

    Args:
        watched: all of them; a finding names them by their numbers there.
        tell: tells findings; returns whether any is new. Its second argument is what is added to
            each: a line.
        not_checked: is told what was not, a sentence.
        lost: is told what would have been, had the process not ended.
        stopper: how a process stops where something is found.
        is_chosen: whether a finding is of a check that is to be made.
        is_known: whether it is suppressed.
    """

    def __init__(
        self,
        watched: Sequence[Watched],
        tell: Callable[[Sequence[Finding], str], bool],
        not_checked: Callable[[str], None],
        lost: Callable[[str], None],
        stopper: ProcessStopper,
        is_chosen: Callable[[Finding], bool],
        is_known: Callable[[Finding], bool],
    ) -> None:
        self._watched = watched
        self._tell = tell
        self._not_checked = not_checked
        self._lost = lost
        self._stopper = stopper
        self._is_chosen = is_chosen
        self._is_known = is_known
        self._found: list[Finding] = []  # not told yet
        self._touches = Touches(View(watched).where)
        self.due: float | None = None  # when it is to be told
        self.count = 0

    def answer(self, one: Watched, address: int) -> None:
        """Answer the question at an address of the process's."""
        number = self._watched.index(one)
        found: list[Finding] = []
        awaits = query_records.NOTHING
        if one.registry.info.world_rank is None:  # as it was in MPI_Init
            one.refresh()

        def failed(process: Process | None, error: MpippError) -> None:
            self._failed(one, error)

        try:
            process, question = one.asker.process(number, address)
            awaits = question.awaits
            if awaits == query_records.PLACE:
                one.answer(said.FOUND if self._stopper.stop_at(one, process) else said.ANSWERED)
                return
            of_question: Iterable[Finding]
            if awaits in (query_records.TOUCH, query_records.STOP):
                variable = partial(one.places.variable, frame=question.frame)
                between = [
                    access_while_pending.check(process),
                    freed_while_pending.check(process, one.asker.registry.freed_memory()),
                    changed_while_pending.check(process, question.changes, variable),
                ]
                of_question = all_checks.cited(itertools.chain(*between), [process])
            else:
                targets = window_sizes.targets(self._watched, one, process)
                of_question = all_checks.call_findings(process, failed, targets)
            found = list(filter(self._is_chosen, of_question))
        except MpippError as error:
            self._failed(one, error)
        if awaits == query_records.CLEARED:
            self._compare(number, found)
            one.answer(said.ANSWERED)
            return
        self.count += 1
        error_class = b""
        waits = awaits in (query_records.ANSWER, query_records.STOP)
        if found and waits:
            one.places.refresh()
        if found and awaits == query_records.ANSWER:
            own = itertools.filterfalse(
                self._is_known, error_classes.of_call(found, process, question.tid)
            )
            error_class = error_classes.error_class(own).encode()
        if waits and self._stopper.is_wanted(one, found):
            is_new = self._tell(found, self._stopper.line(one, _where(process, question)))
            one.answer((said.FOUND if is_new else said.ANSWERED) + error_class)
            if is_new:
                self._stopper.stop(one, question.tid)
            return
        if found and self.due is None:
            self.due = time.monotonic() + _SOON
        self._found += found
        stops = found and not self._stopper.is_asked_for  # who would stop is told so above
        one.answer((said.FOUND if stops else said.ANSWERED) + error_class)

    def answer_all(self, one: Watched, address: int) -> None:
        """Answer that question of the process's and all that follow it."""
        try:
            every = query_records.following(one.memory, address)
        except MpippError as error:
            self._failed(one, error)
            return
        for each in every:
            self.answer(one, each)

    def touching(self, asking: said.Touching) -> int:
        """What a process is answered that waits before it touches a pending operation's buffer."""
        found: list[Finding] = []
        one = next((one for one in self._watched if one.pid == asking.pid), None)
        if one is None or one.state != RUNNING:
            return 0
        try:
            one.refresh()
            process = one.process(self._watched.index(one))
            found = list(
                filter(
                    self._is_chosen,
                    all_checks.cited(access_while_pending.check(process), [process]),
                )
            )
        except MpippError as error:
            self._failed(one, error)
        if not found:
            return 0
        one.places.refresh()
        if not self._stopper.is_wanted(one, found):
            self._found += found
            self.due = self.due or time.monotonic() + _SOON
            return 1
        if not self._tell(found, self._stopper.line(one)):
            return 1
        self._stopper.stop(one, asking.tid)
        return 1 | STOPS

    def report(self) -> None:
        """Report the findings so far."""
        found, self._found, self.due = list(self._touches.fresh(self._found)), [], None
        for number in {finding.parties[0].process for finding in found}:
            if self._watched[number].state != GONE:
                self._watched[number].places.refresh()
        if found:
            self._tell(sorted(found, key=self._rank), "")

    def _failed(self, one: Watched, error: MpippError) -> None:
        # What does not lie in the memory file is gone with the process.
        if isinstance(error, UnreadableMemory) and not goes_on(one.pid):
            why = "a call that had to be looked at: the process has ended meanwhile"
            self._lost(f"{one.label()}: {why}")
        else:
            self._not_checked(f"{one.label()}: {error}")

    def _rank(self, finding: Finding) -> int:
        return self._watched[finding.parties[0].process].registry.info.world_rank or 0

    def _compare(self, number: int, found: Sequence[Finding]) -> None:
        # For tests: nothing is wrong of a call that the screens have cleared.
        for finding in found:
            if any(party.tid is not None for party in finding.parties):
                place = self._watched[number].places.site(finding.parties[0].site)
                self._not_checked(f"a screen clears: {finding.what}, at {', '.join(place)}")


def _where(process: Process, question: query_records.Question) -> str:
    # Where a process stops: what was changed before is found in the call that completes it.
    if not question.changes:
        return "there"
    calls = [thread.call.procedure for thread in process.threads[:1] if thread.call is not None]
    place = f"in {calls[0]}" if calls else "before it ends"
    is_over = all(one.kind != changed_while_pending.GONE for one in question.changes)
    return f"{place}, the change is over" if is_over else place
