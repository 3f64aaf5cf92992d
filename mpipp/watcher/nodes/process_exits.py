# SPDX-License-Identifier: MIT
"""The ends of processes: they wait for the watcher at their end, or they die."""

from __future__ import annotations

import contextlib
import time

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.protocol import FINALIZED
from mpipp.watcher.nodes.process_ends import KILLED, AbnormalEnds
from mpipp.watcher.output.launcher import Launcher
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.exit_batch import ExitBatch
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import LOST, OVER, RUNNING, WatchedProcess
from mpipp.watcher.processes.process_table import ProcessTable
from mpipp.watcher.processes.remote import has_remote

# Seconds to wait for a message of `mpipp run` that the user ends the program, or that it has ended.
_WORD = 2.0
# How often the end of a process is deferred, to read earlier messages of others first.
_MOST_DEFERRED = 200


class ProcessExits:
    """Records which processes have ended and how, and when the watcher checks them.

    Attributes:
        due: the time to check the processes that have ended; None if none has since the last check.
    """

    def __init__(
        self, table: ProcessTable, ends: AbnormalEnds, launcher: Launcher, reporter: Reporter
    ) -> None:
        self._table = table
        self._ends = ends
        self._launcher = launcher
        self._reporter = reporter
        self._batch = ExitBatch()
        self.due: float | None = None

    def __bool__(self) -> bool:
        """Return whether any process has died, or has ended the job."""
        return bool(self._ends)

    def finish(self, one: WatchedProcess, end: int, heard: float) -> None:
        """Note that a process is at its end, and waits.

        Args:
            end: the way in which it ends, from its message.
            heard: the time at which all messages until then had been read.
        """
        if one.state != RUNNING:
            return
        now = time.monotonic()
        one.state, one.end = OVER, end
        one.places.refresh()
        over = (o for o in self._table.watched if o.state == OVER)
        self.due = self._batch.due(self.due, now, over) if self._table.running else now
        if end != FINALIZED:
            self._ends.add(one, heard)
            self.due = now

    def is_deferred(self, one: WatchedProcess) -> bool:
        """Return whether to read the end of a connection later, after other messages.

        Other processes may have announced their end before this one was killed. The messages about
        the end may lie behind unread queries.
        """
        if one.state != RUNNING or not any(o.has_said_more() for o in self._table.running):
            return False
        one.deferred += 1
        return one.deferred <= _MOST_DEFERRED

    def disconnect(self, one: WatchedProcess, heard: float) -> None:
        """Note that the connection of a process was closed. The process has died, unless it waited
        at its end."""
        was = one.state
        one.disconnect()
        if was != RUNNING or not self._reporter.can_read(one):
            return
        if goes_on(one.pid):
            one.state = LOST
            self._reporter.note_failure(
                f"{one.label()} is no longer watched: it has executed another program, or closed "
                "its files"
            )
        elif one.registry.info.status == "started":
            self._ends.add(one, heard)
            self._batch.forget()
            now = time.monotonic()
            self.due = min(self.due or now + KILLED, now + KILLED)
            if not self._table.running:
                self.due = now + self._until_launcher_speaks()

    def launcher_spoke(self) -> None:
        """Stop waiting for the launcher's message if no process runs."""
        if self.due is not None and not self._table.running:
            self.due = time.monotonic()

    def report(self) -> None:
        """Report new deaths as soon as it is known which process died first."""
        due = self._ends.report(self._launcher.is_interrupted)
        self.due = self.due if due is None else due

    def report_rest(self) -> None:
        """Report the deaths before MPI_Init and after MPI_Finalize, when all processes
        have ended."""
        self._ends.report_rest(self._launcher.is_interrupted, self._table.uncalled())

    def _until_launcher_speaks(self) -> float:
        # Seconds until it is certain whether the user has ended the program. The signal that kills
        # the processes also reaches `mpipp run`, which may report it only after they have died. The
        # wait is shorter if processes wait at their end, or other nodes have watchers.
        if not self._launcher.may_interrupt:
            return 0.0
        others_wait = bool(self._table.waiting)
        watched = self._table.watched
        with contextlib.suppress(MpippError):
            others_wait |= has_remote(watched[0].registry.info, watched)
        return _WORD if self._launcher.is_on_node and not others_wait else KILLED
