# SPDX-License-Identifier: MIT
"""The processes of one watcher, in the order of their connections."""

from __future__ import annotations

import socket
from collections.abc import Iterator

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.processes.exit_status import Ending, Exit
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.process import GONE, OVER, RUNNING, WatchedProcess


class ProcessTable:
    """The processes that have initialized MPI, and the programs that the launcher has started.

    Attributes:
        watched: the processes. The list grows; a process stays in it after its end.
    """

    def __init__(self) -> None:
        self.watched: list[WatchedProcess] = []
        self._jobs: dict[int, int] = {}  # by the launcher's job: its number in the order of arrival
        self._programs: dict[int, tuple[str, Exit]] = {}  # label and exit, by process id

    def join(self, connection: socket.socket, hello: said.Hello) -> WatchedProcess:
        """Add the process that has connected. Raises MpippError or OSError if its records are
        damaged."""
        one = WatchedProcess(connection, hello)
        one.spawned = self._jobs.setdefault(one.job, len(self._jobs))
        self.watched.append(one)
        return one

    def note_program(self, connection: socket.socket, started: said.ProgramStart) -> None:
        """Note a program that the launcher has started. The program may never call MPI."""
        pid, _ = launch.peer(connection)
        label = f"rank {started.rank}" if started.rank else f"process {pid}"
        self._programs[pid] = label, Exit(connection, pid)

    @property
    def running(self) -> list[WatchedProcess]:
        """The processes that have neither ended nor called MPI_Finalize."""
        return [one for one in self.watched if one.state == RUNNING]

    @property
    def resting(self) -> list[WatchedProcess]:
        """The processes that wait at their end, or have died."""
        return [one for one in self.watched if one.state in (OVER, GONE)]

    @property
    def waiting(self) -> list[WatchedProcess]:
        """The processes that wait at their end until the watcher has checked them."""
        return [one for one in self.watched if one.state == OVER and one.connection.fileno() >= 0]

    def are_done(self) -> bool:
        """Return whether every program has exited, and all their messages are read."""
        if self.running or not all(ended.has_exited for _, ended in self._programs.values()):
            return False
        # A message about a call after MPI_Finalize may be unread when the process has ended.
        return not self.have_said_more()

    def have_said_more(self) -> bool:
        """Return whether any process has sent messages that are still unread."""
        return any(one.has_said_more() for one in self.watched)

    @property
    def exiting(self) -> list[WatchedProcess]:
        """The processes that wait before they exit."""
        return [one for one in self.watched if one.exits and not one.is_released]

    def are_exiting(self) -> bool:
        """Return whether every process and program exits now, or has exited."""
        if not all(one.exits or not goes_on(one.pid) for one in self.watched):
            return False
        known = {one.pid for one in self.watched if one.exits}
        return all(pid in known or by.has_exited for pid, (_, by) in self._programs.items())

    def exit_inside(self) -> bool:
        """Return whether a process exits inside an MPI call. Its exit status decides whether this
        is an error."""
        try:
            for one in (one for one in self.watched if one.exits):
                one.refresh()
                if {*one.inside()} - {"MPI_Finalize"}:
                    return True
        except MpippError:
            return True
        return False

    def uncalled(self) -> Iterator[tuple[str, Ending]]:
        """The programs that ended without a call of MPI: label and ending."""
        known = {one.pid for one in self.watched}
        for pid, (label, ended) in self._programs.items():
            by = ended.ending() if pid not in known else None
            if by is not None:
                yield label, by

    def uninitialized(self) -> str:
        """A sentence for a run in which no process has initialized MPI."""
        count = len(self._programs.keys() | {one.pid for one in self.watched})
        none = "the process has not" if count == 1 else f"none of {count} processes has"
        return f"{none} initialized MPI"
