# SPDX-License-Identifier: MIT
"""The answers to processes that ask about collective calls, for `--strict`."""

from __future__ import annotations

import socket

from mpipp.watcher.collective_precheck.blocking import BlockingPrecheck
from mpipp.watcher.collective_precheck.nonblocking import NonblockingPrecheck
from mpipp.watcher.collective_precheck.vote import INTERVAL, WaitingProcesses
from mpipp.watcher.history.running_comparison import RunningComparison
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.output.reporter import Reporter
from mpipp.watcher.processes.collective_comparison import NOT_BEFORE, answer
from mpipp.watcher.processes.process_table import ProcessTable
from mpipp.watcher.queries.process_stopper import ProcessStopper


class Prechecks:
    """Answers each connection that asks about collective calls, as soon as the answer is known.

    Args:
        directory: the run's directory, which watchers of several nodes share; "" if there is none.
        nonblocking_directory: the same; "" also if no check compares nonblocking calls.
        comparison: compares the processes of this node.
    """

    def __init__(
        self,
        directory: str,
        nonblocking_directory: str,
        table: ProcessTable,
        comparison: RunningComparison,
        reporter: Reporter,
        stopper: ProcessStopper,
    ) -> None:
        self._table = table
        self._comparison = comparison
        self._reporter = reporter
        self._blocking = BlockingPrecheck(directory, reporter, stopper)
        self._nonblocking = NonblockingPrecheck(
            nonblocking_directory, table.watched, reporter, stopper
        )
        self._waiting = WaitingProcesses(directory)
        self.count = 0  # number of queries

    @property
    def interval(self) -> float | None:
        """Seconds until the next call of `take_part`; None if no process waits."""
        is_waited_for = self._waiting.are_waiting or self._blocking.are_meeting
        return INTERVAL if is_waited_for or self._nonblocking.are_waiting else None

    def add(
        self,
        connection: socket.socket,
        asking: said.CollectiveQuery | said.StrictQuery | said.NonblockingQuery,
    ) -> None:
        """Handle the connection of a process that asks, and answer it now or later.

        Raises MpippError if the process is not watched.
        """
        if isinstance(asking, said.StrictQuery):
            self._waiting.add(connection, asking, self._table.watched)
        elif isinstance(asking, said.NonblockingQuery):
            self.count += 1
            if found := self._comparison.compare_calls(asking.call):
                answer(connection, found)
            else:
                self._nonblocking.add(connection, asking.call)
        elif asking.number:
            self.count += 1
            self._blocking.add(connection, asking)
            self._blocking.look(self._table.running)
        else:
            self._reporter.note_not_checked(NOT_BEFORE)
            connection.close()

    def take_part(self) -> None:
        """Answer the waiting processes whose calls are compared, here or on another node."""
        self._blocking.look(self._table.running)
        self._nonblocking.look()
        for sentence in self._waiting.decide(self._table.watched):
            self._reporter.note_not_checked(sentence)

    def end_blocking(self) -> None:
        """Answer the blocking calls that still wait."""
        self._blocking.end()

    def end_nonblocking(self) -> None:
        """Answer the nonblocking calls that still wait."""
        self._nonblocking.end()
