# SPDX-License-Identifier: MIT
"""Answer queries, and report the findings soon after, once for all processes that asked."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from mpipp.analysis import all_checks
from mpipp.analysis.buffers import (
    access_while_pending,
    changed_while_pending,
    freed_while_pending,
)
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings import element_names
from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError, UnreadableMemory
from mpipp.common.text import wording
from mpipp.watcher.buffer_owners.known_elements import KnownElements
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.processes import query_records
from mpipp.watcher.processes.collective_comparison import STOPS
from mpipp.watcher.processes.labels import View
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import GONE, RUNNING, WatchedProcess
from mpipp.watcher.queries import error_class as error_classes
from mpipp.watcher.queries import window_sizes
from mpipp.watcher.queries.deduplicate_accesses import AccessDeduplicator
from mpipp.watcher.queries.process_stopper import ProcessStopper

if TYPE_CHECKING:
    from mpipp.watcher.buffer_owners.owners import BufferOwners

_MOST_OWNER_TIME = 20.0  # seconds of processor time in a run
_SOON = 1.0  # seconds in which other processes may ask the same


class QueryHandler:
    """Answers the queries of processes.

    Args:
        watched: all processes; a finding names them by their index.
        tell: reports findings, and returns whether any is new. Its second argument is a line to add
            to
            each report.
        not_checked: takes a sentence on an unchecked thing.
        lost: takes a sentence on a check that was impossible because the process ended.
        stopper: stops processes at findings.
        is_chosen: returns whether the check of a finding is selected.
        is_known: returns whether a finding is suppressed.
    """

    def __init__(
        self,
        watched: Sequence[WatchedProcess],
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
        self._found: list[Finding] = []  # findings that are not reported yet
        self._owners: deque[tuple[WatchedProcess, BufferOwners]] = deque()
        self._owner_time = 0.0  # seconds of processor time for buffer owners so far
        self._elements = KnownElements()
        self._touches = AccessDeduplicator(View(watched).where)
        self.due: float | None = None  # the time of the next report
        self.count = 0

    def answer(self, one: WatchedProcess, address: int) -> None:
        """Answer the query at an address of the process."""
        number = self._watched.index(one)
        found: list[Finding] = []
        awaits = query_records.NOTHING
        # The process's records were last read during MPI_Init.
        if one.registry.info.world_rank is None:
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
            if awaits == query_records.OWNERS:  # the program does not wait for the answer
                from mpipp.watcher.buffer_owners.owners import BufferOwners

                self._owners.append((one, BufferOwners(one, process, question)))
                one.answer(said.ANSWERED)
                found = list(filter(self._is_chosen, all_checks.place_findings(process)))
                self._found += found
                self.due = self.due or (time.monotonic() + _SOON if found else None)
                return
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
            is_new = self._tell(found, self._stopper.line(one, _stop_place(process, question)))
            one.answer((said.FOUND if is_new else said.ANSWERED) + error_class)
            if is_new:
                self._stopper.stop(one, question.tid)
            return
        if found and self.due is None:
            self.due = time.monotonic() + _SOON
        self._found += found
        # a process that has to stop got its answer above
        stops = found and not self._stopper.is_asked_for
        one.answer((said.FOUND if stops else said.ANSWERED) + error_class)

    def finish_owners(self, between: Callable[[], None]) -> None:
        """Check all waiting buffers against the program's objects; call `between` before each
        check."""
        while self._owners:
            between()
            self.check_owners()

    def check_owners(self) -> None:
        """Check the buffers of one waiting call against the program's objects."""
        if not self._owners:
            return
        if self._owner_time > _MOST_OWNER_TIME:
            many = wording.counted(len(self._owners), "call")
            self._owners.clear()
            self._not_checked(f"the variables of {many}: debug information takes too long to read")
            return
        one, owners = self._owners.popleft()
        begin = time.process_time()
        found = list(filter(self._is_chosen, owners.findings()))
        self._elements.add(self._watched.index(one), owners)
        self._owner_time += time.process_time() - begin
        if found:
            one.places.refresh()
            self._found += found
            self.due = self.due or time.monotonic() + _SOON

    @property
    def has_owners(self) -> bool:
        """Return whether buffers wait to be checked."""
        return bool(self._owners)

    def answer_all(self, one: WatchedProcess, address: int) -> None:
        """Answer this query of the process and all later ones."""
        try:
            every = query_records.following(one.memory, address)
        except MpippError as error:
            self._failed(one, error)
            return
        for each in every:
            self.answer(one, each)

    def touching(self, asking: said.AccessQuery) -> int:
        """The answer for a process that waits before it accesses the buffer of a
        pending operation."""
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
        self._check_owners_of(self._found)
        found, self._found, self.due = list(self._touches.fresh(self._found)), [], None
        found = [element_names.with_names(one, self._elements.name) for one in found]
        for number in {finding.parties[0].process for finding in found}:
            if self._watched[number].state != GONE:
                self._watched[number].places.refresh()
        if found:
            self._tell(sorted(found, key=self._rank), "")

    def _check_owners_of(self, found: Sequence[Finding]) -> None:
        # First check the calls in the findings, because their variables name the elements.
        wanted = {
            (party.process, party.site.address)
            for one in found
            if element_names.has_elements(one)
            for party in one.parties
        }
        is_wanted = [(self._watched.index(one), of.place) in wanted for one, of in self._owners]
        first = [one for one, is_first in zip(self._owners, is_wanted) if is_first]
        rest = [one for one, is_first in zip(self._owners, is_wanted) if not is_first]
        self._owners = deque((*first, *rest))
        for _ in first:
            self.check_owners()

    def _failed(self, one: WatchedProcess, error: MpippError) -> None:
        # Memory outside the memory file is gone with the process.
        if isinstance(error, UnreadableMemory) and not goes_on(one.pid):
            why = "a call that had to be checked: the process ended first"
            self._lost(f"{one.label()}: {why}")
        else:
            self._not_checked(f"{one.label()}: {error}")

    def _rank(self, finding: Finding) -> int:
        return self._watched[finding.parties[0].process].registry.info.world_rank or 0

    def _compare(self, number: int, found: Sequence[Finding]) -> None:
        # For tests: report an error in a call that the call filter has cleared.
        for finding in found:
            if any(party.tid is not None for party in finding.parties):
                place = self._watched[number].places.site(finding.parties[0].site)
                self._not_checked(f"a call filter clears: {finding.what}, at {', '.join(place)}")


def _stop_place(process: Process, question: query_records.Question) -> str:
    # The place where a process stops. A call that completes an operation reports a change of its
    # buffer.
    if not question.changes:
        return "there"
    calls = [thread.call.procedure for thread in process.threads[:1] if thread.call is not None]
    place = f"in {calls[0]}" if calls else "before it ends"
    is_over = all(one.kind != changed_while_pending.GONE for one in question.changes)
    return f"{place}, the change is complete" if is_over else place
