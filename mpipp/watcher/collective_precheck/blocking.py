# SPDX-License-Identifier: MIT
"""Compare waiting blocking collective calls, and answer their processes, for `--strict`.

The wrapper (wrapper/collective_precheck/blocking.c) compares fingerprints of the calls, and asks
the watcher if they differ. A difference of fingerprints alone is no finding. None of the processes
has started the operation.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Container, Sequence

from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.watcher.collective_precheck.node_exchange import LocalCall, NodeExchange
from mpipp.watcher.ipc.protocol import CollectiveQuery
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.collective_comparison import STOPS, answer, compared
from mpipp.watcher.processes.labels import ShownProcess, View
from mpipp.watcher.processes.process import WatchedProcess
from mpipp.watcher.queries import error_class as error_classes
from mpipp.watcher.queries.process_stopper import ProcessStopper

_BETWEEN_NODES = "calls before they start (--strict), between nodes"
_LATE = 20.0  # seconds for all processes of a call to ask: they are in the same collective call
_MOST_MET = 64  # node exchanges whose files are kept; all nodes have read older files
_LATE_NODES = 15.0  # more seconds, for the watchers of other nodes to read the calls


class ComparedCall:
    """The processes that have asked about one call so far.

    Args:
        directory: the run's directory, which the watchers of all nodes share; "" if there is none.
    """

    def __init__(self, directory: str) -> None:
        self.since = time.monotonic()
        self.calls: list[CollectiveQuery] = []
        self.meeting: NodeExchange | None = None  # set when all processes of this node have asked
        self.failed = ""  # the reason why other nodes are not compared
        self._directory = directory
        self._connections: list[socket.socket] = []

    def add(self, connection: socket.socket, call: CollectiveQuery) -> None:
        """Add a process."""
        self.calls.append(call)
        self._connections.append(connection)

    def is_due(self, running: Sequence[WatchedProcess]) -> bool:
        """Return whether to compare now: all processes have asked, or the others are too late.

        Args:
            running: the processes of this node.
        """
        first = self.calls[0]
        if len(self.calls) < first.here and time.monotonic() - self.since <= _LATE:
            return False
        if first.here >= first.processes or not self._directory:
            return True
        try:
            if self.meeting is None:
                self.meeting = NodeExchange(self._directory, f"{first.number:016x}")
                by_pid = {one.pid: one for one in running}  # leaves out dead processes
                known = (call for call in self.calls if call.pid in by_pid)
                self.meeting.leave(LocalCall(by_pid[call.pid], call) for call in known)
            if self.meeting.count >= first.processes - first.here:
                return True
        except MpippError as error:
            self.failed = str(error)
            return True
        if time.monotonic() - self.since <= _LATE + _LATE_NODES:
            return False
        self.failed = "some watchers of the other processes did not write theirs"
        return True

    def members(
        self, running: Sequence[WatchedProcess]
    ) -> list[tuple[ShownProcess, CollectiveQuery]]:
        """The processes of the call on all nodes, with their queries."""
        by_pid = {one.pid: one for one in running}
        found: list[tuple[ShownProcess, CollectiveQuery]] = []
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
        """Answer the processes, so that they continue. Processes in `stops` stop in the call.

        Args:
            error_class: MPI's error class, as from `error_classes.error_class`.
            stops: process ids.
        """
        for connection, call in zip(self._connections, self.calls):
            answer(connection, STOPS if call.pid in stops else 0, error_class)


class BlockingPrecheck:
    """The calls that wait for the comparison; `directory` is as in `ComparedCall`."""

    def __init__(self, directory: str, reporter: Reporter, stopper: ProcessStopper) -> None:
        self._directory = directory
        self._reporter = reporter
        self._stopper = stopper
        self._asked: dict[int, ComparedCall] = {}
        self._met: list[NodeExchange] = []

    def add(self, connection: socket.socket, call: CollectiveQuery) -> None:
        """Add a process that asks about a call."""
        self._asked.setdefault(call.number, ComparedCall(self._directory)).add(connection, call)

    @property
    def are_meeting(self) -> bool:
        """Return whether a call waits for watchers of other nodes."""
        return any(asked.meeting for asked in self._asked.values())

    def look(self, running: Sequence[WatchedProcess]) -> None:
        """Compare the calls about which all processes have asked, and answer the processes.

        Args:
            running: the processes of this node.
        """
        due = [number for number, asked in self._asked.items() if asked.is_due(running)]
        for asked in map(self._asked.pop, due):
            # The records of a process do not change until it is answered.
            refused, stops = "", []
            try:
                members = asked.members(running)
                of = [one for one, _ in members]
                found = list(filter(self._reporter.collected.is_chosen, compared(members)))
                unknown = self._unknown(of, found)
                refused = error_classes.error_class(unknown)
                # Between nodes, leave suppressed findings out: they are counted once, at the end.
                stops = self._report(of, unknown if asked.meeting else found)
            except MpippError as error:
                self._reporter.note_not_checked(str(error))
            if asked.failed:  # do not wait a second time for a failed watcher
                self._reporter.note_not_checked(f"{_BETWEEN_NODES}: {asked.failed}")
                self._directory = ""
            asked.answer(refused, [one.pid for one, _ in stops])
            for one, tid in stops:
                self._stopper.stop(one, tid)
            self._met += [asked.meeting] if asked.meeting else []
        while self._met and (self._met[0].is_expired or len(self._met) > _MOST_MET):
            self._met.pop(0).forget()

    def end(self) -> None:
        """Remove the files after the end of the last process."""
        for meeting in self._met:
            meeting.forget()

    def _unknown(self, of: Sequence[ShownProcess], found: Sequence[Finding]) -> list[Finding]:
        # The findings that no suppression matches.
        frames, is_known = View(of).frames, self._reporter.collected.has_suppression
        return [one for one in found if not is_known(one, frames)]

    def _report(
        self, of: Sequence[ShownProcess], found: Sequence[Finding]
    ) -> list[tuple[WatchedProcess, int]]:
        # Return the processes that have to stop. The watcher of the first process reports the
        # finding; other watchers only stop their processes.
        if not found:
            return []
        view = View(of)
        standing = self._stopper.standing(of, found)
        if isinstance(of[found[0].parties[0].process], WatchedProcess):
            lines = "\n".join(self._stopper.line(one) for one, _ in standing)
            is_new = self._reporter.report(of, found, lines)
        else:
            is_new = not all(self._reporter.before.has(one, view.where) for one in found)
            for one, tid in standing if is_new else ():
                self._stopper.say(one, tid)
        self._reporter.before.add(found, view.where)
        return standing if is_new else []
