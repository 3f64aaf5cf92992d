# SPDX-License-Identifier: MIT
"""`--strict`: blocking collective calls that wait to be compared, and what becomes of them.

The wrapper (wrapper/collective_precheck/blocking.c) has found by a sum that they seem not to agree:
what sums say is no finding. No process has gone on.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Container, Sequence

from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.protocol import Disagreeing
from mpipp.watcher.nodes.strict_exchange import LocalCall, Meeting
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.labels import Shown, View
from mpipp.watcher.processes.process import Watched
from mpipp.watcher.processes.strict_comparison import STOPS, answer, compared
from mpipp.watcher.queries import error_class as error_classes
from mpipp.watcher.queries.stop_process import ProcessStopper

_BETWEEN_NODES = "calls before they began (--strict), between nodes"
_LATE = 20.0  # seconds in which all of a call ask: they come from one collective call
_MOST_MET = 64  # meetings whose files are there; older ones all have read
_LATE_NODES = 15.0  # and more, in which the watchers of other nodes say the same


class ComparedCall:
    """The processes that have asked about one call so far.

    Args:
        directory: the run's, where the watchers of all nodes meet; "": there is none.
    """

    def __init__(self, directory: str) -> None:
        self.since = time.monotonic()
        self.calls: list[Disagreeing] = []
        self.meeting: Meeting | None = None  # once those of this node have asked
        self.failed = ""  # why it is not compared with those of other nodes
        self._directory = directory
        self._connections: list[socket.socket] = []

    def add(self, connection: socket.socket, call: Disagreeing) -> None:
        """One more."""
        self.calls.append(call)
        self._connections.append(connection)

    def is_due(self, running: Sequence[Watched]) -> bool:
        """Whether all have asked, or those that have not will not; `running`: those of the node."""
        first = self.calls[0]
        if len(self.calls) < first.here and time.monotonic() - self.since <= _LATE:
            return False
        if first.here >= first.processes or not self._directory:
            return True
        try:
            if self.meeting is None:
                self.meeting = Meeting(self._directory, f"{first.number:016x}")
                by_pid = {one.pid: one for one in running}  # without those that have died
                known = (call for call in self.calls if call.pid in by_pid)
                self.meeting.leave(LocalCall(by_pid[call.pid], call) for call in known)
            if self.meeting.count >= first.processes - first.here:
                return True
        except MpippError as error:
            self.failed = str(error)
            return True
        if time.monotonic() - self.since <= _LATE + _LATE_NODES:
            return False
        self.failed = "not all watchers of the other processes have left theirs"
        return True

    def members(self, running: Sequence[Watched]) -> list[tuple[Shown, Disagreeing]]:
        """Its processes on all nodes, with what each has asked."""
        by_pid = {one.pid: one for one in running}
        found: list[tuple[Shown, Disagreeing]] = []
        for call in self.calls:
            if call.pid in by_pid:
                by_pid[call.pid].refresh()
                found.append((by_pid[call.pid], call))
        try:
            found += self.meeting.remote_calls() if self.meeting and not self.failed else ()
        except MpippError as error:
            self.failed = str(error)
        return found

    def answer(self, error_class: str, stops: Container[int]) -> None:
        """Let them go on; but those with these process numbers stop in the call.

        error_class: of what is wrong, as `error_classes.error_class` has it.
        """
        for connection, call in zip(self._connections, self.calls):
            answer(connection, STOPS if call.pid in stops else 0, error_class)


class BlockingPrecheck:
    """The calls that wait for the comparison; `directory`: as in `ComparedCall`."""

    def __init__(self, directory: str, reporter: Reporter, stopper: ProcessStopper) -> None:
        self._directory = directory
        self._reporter = reporter
        self._stopper = stopper
        self._asked: dict[int, ComparedCall] = {}
        self._met: list[Meeting] = []

    def add(self, connection: socket.socket, call: Disagreeing) -> None:
        """A process has asked."""
        self._asked.setdefault(call.number, ComparedCall(self._directory)).add(connection, call)

    @property
    def are_meeting(self) -> bool:
        """Whether watchers of other nodes are awaited."""
        return any(asked.meeting for asked in self._asked.values())

    def look(self, running: Sequence[Watched]) -> None:
        """Compare those of which all have asked, and answer them: they wait no more.

        Args:
            running: the processes of this node.
        """
        due = [number for number, asked in self._asked.items() if asked.is_due(running)]
        for asked in map(self._asked.pop, due):
            # They are as they will be until they are answered.
            refused, stops = "", []
            try:
                members = asked.members(running)
                of = [one for one, _ in members]
                found = list(filter(self._reporter.collected.is_chosen, compared(members)))
                unknown = self._unknown(of, found)
                refused = error_classes.error_class(unknown)
                # What is suppressed is counted once: between nodes at the end.
                stops = self._report(of, unknown if asked.meeting else found)
            except MpippError as error:
                self._reporter.note_not_checked(str(error))
            if asked.failed:  # it is waited for once
                self._reporter.note_not_checked(f"{_BETWEEN_NODES}: {asked.failed}")
                self._directory = ""
            asked.answer(refused, [one.pid for one, _ in stops])
            for one, tid in stops:
                self._stopper.stop(one, tid)
            self._met += [asked.meeting] if asked.meeting else []
        while self._met and (self._met[0].is_expired or len(self._met) > _MOST_MET):
            self._met.pop(0).forget()

    def end(self) -> None:
        """The last process is over: nothing is left of them."""
        for meeting in self._met:
            meeting.forget()

    def _unknown(self, of: Sequence[Shown], found: Sequence[Finding]) -> list[Finding]:
        # What is not suppressed.
        frames, is_known = View(of).frames, self._reporter.collected.has_suppression
        return [one for one in found if not is_known(one, frames)]

    def _report(self, of: Sequence[Shown], found: Sequence[Finding]) -> list[tuple[Watched, int]]:
        # Returns who stops. Who watches the first process tells; the others of theirs that stop.
        if not found:
            return []
        view = View(of)
        standing = self._stopper.standing(of, found)
        if isinstance(of[found[0].parties[0].process], Watched):
            lines = "\n".join(self._stopper.line(one) for one, _ in standing)
            is_new = self._reporter.report(of, found, lines)
        else:
            is_new = not all(self._reporter.before.has(one, view.where) for one in found)
            for one, tid in standing if is_new else ():
                self._stopper.say(one, tid)
        self._reporter.before.add(found, view.where)
        return standing if is_new else []
