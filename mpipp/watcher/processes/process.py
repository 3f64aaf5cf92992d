# SPDX-License-Identifier: MIT
"""A watched process: its connection, its records, and its end."""

from __future__ import annotations

import contextlib
import os
import select
import socket
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import cast

from mpipp.analysis.context.process import Operation, Process
from mpipp.common.errors import MpippError
from mpipp.model import ProcessInfo, Thread, ThreadCall, procedures
from mpipp.registry.describe_adapter import Recorded
from mpipp.registry.memory.address_space import ProcessMemory
from mpipp.registry.registry import Registry
from mpipp.symbolizer.process_symbols import Places
from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc import protocol as said
from mpipp.watcher.ipc.protocol import Hello
from mpipp.watcher.ipc.shared_memory import FileMemory
from mpipp.watcher.processes.access_details import Touched
from mpipp.watcher.processes.exit_status import Ending, Exit
from mpipp.watcher.processes.fatal_signal import FatalSignal
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.query_records import Asker

RUNNING, OVER, GONE, LOST = "running", "over", "gone", "lost"
_NOT_KNOWN = ProcessInfo("", "inert", 0, None, None, None, False, "", "", 0, 0, 0)
_PATIENCE = 0.2  # seconds from the closing of a process's files to its end


class WatchedProcess(Recorded):
    """A watched process. The process's records are read when it has ended, or has not changed for a
    while.

    Attributes:
        state: RUNNING; OVER after it has announced its end; GONE without an announcement; LOST if
            it
            continues without a connection.
        end: the announced end: FINALIZED, EXITING or ABORTING; 0 for none.
        strict: True if it compares collective calls before they begin.
        job: distinguishes the launcher's jobs.
        spawned: the number of its job if MPI_Comm_spawn has started it; else 0.
        deferred: how often its end was deferred to read earlier messages of others first.
        exits: True if it has announced that it exits now.
        is_released: True if it may exit.
        stopped: True if the watcher has made it stop at a finding.
        ended_at: the time of an abnormal end (time.monotonic).
        is_left_out: True if its records are damaged and no longer read.
        fatal: the signal that kills it, and its stack; None if not read.

    Raises MpippError if the records cannot be read.
    """

    def __init__(self, connection: socket.socket, hello: Hello) -> None:
        self.connection = connection
        self.pid, self.strict = hello.pid, hello.strict
        self.state, self.end = RUNNING, 0
        self.ended_at = 0.0
        self.spawned = 0
        self.deferred = 0
        self.exits = self.is_released = False
        self.stopped = False
        self.is_left_out = False
        self.fatal: FatalSignal | None = None
        with contextlib.ExitStack() as opened:
            opened.callback(os.close, hello.file)
            self._exit = Exit(connection, hello.pid)
            opened.callback(self._exit.close)
            others = None
            with contextlib.suppress(MpippError):  # the system may forbid access to the memory
                others = ProcessMemory(hello.pid)
                opened.callback(others.close)
            self._others = others
            self.memory = FileMemory(hello.file, hello.arena, others, partial(goes_on, hello.pid))
            self.places = Places(hello.pid, self.memory.code())
            self.registry: Registry = Touched(self.memory, hello.root, self.places)
            self.asker = Asker(self.memory, hello.root, self.places)
            self.job = self.registry.info.job
            opened.pop_all()  # all succeeded: keep the files open

    def refresh(self) -> None:
        """Drop data that may have changed, because the process has run."""
        self.memory.refresh()
        self.registry.invalidate()

    def process(self, number: int) -> Process:
        """The process in the form that the checks expect."""
        return Process(number, self.registry, self, None)

    def disconnect(self) -> None:
        """Note that the connection is closed."""
        if self.state == RUNNING:
            self.state = GONE
        if self._others is not None:
            self._others.close()
            self._others = None
        self.memory.mark_ended()
        self.connection.close()

    def leave_out(self) -> str:
        """Stop reading the process's records, and let the process continue. Returns its label."""
        info = replace(_NOT_KNOWN, pid=self.pid)
        with contextlib.suppress(Exception):
            info = self.registry.info
        self.is_left_out = True
        self.registry = cast(Registry, Unread(info))
        self.state = LOST
        self.answer(said.LOOKED)
        return self.label()

    def ending(self) -> Ending | None:
        """The ending, a signal or an exit status; None if unknown."""
        if self.state == RUNNING:
            return None
        if self.fatal is not None and self.fatal.signal:
            return Ending(self.fatal.signal, 0)  # a launcher's signal may have come first
        return self._exit.ending(_PATIENCE)

    def beside(self, address: int, most: int) -> bytes:
        """Read up to `most` bytes of the process's own memory, outside the memory file.

        Raises MpippError if the system forbids it.
        """
        if self._others is None:
            raise MpippError(f"the memory of process {self.pid} cannot be read")
        return self._others.beginning(address, most)

    def read(self, address: int, length: int) -> bytes:
        """Read bytes of the process's own memory. Raises MpippError if some cannot be read."""
        if self._others is None:
            raise MpippError(f"the memory of process {self.pid} cannot be read")
        return self._others.read(address, length)

    def is_stopped(self) -> bool:
        """Return whether the process has stopped at a finding, and has not continued."""
        if self.stopped:
            try:
                with open(f"/proc/{self.pid}/stat", encoding="utf-8", errors="replace") as stat:
                    self.stopped = stat.read().rpartition(")")[2].split()[0] in "Tt"
            except (OSError, IndexError):
                self.stopped = False
        return self.stopped

    def has_said_more(self) -> bool:
        """Return whether the process has sent messages that are still unread."""
        ready = select.poll()
        try:
            ready.register(self.connection, select.POLLIN)
            return bool(ready.poll(0) and self.connection.recv(1, socket.MSG_PEEK))
        except (OSError, ValueError):
            return False

    def answer(self, what: bytes) -> None:
        """Send an answer to the waiting process."""
        with contextlib.suppress(OSError):
            self.connection.send(what, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)

    def release(self) -> None:
        """Let the process exit."""
        self.is_released = True
        self.answer(said.RELEASED)

    @property
    def initialized(self) -> bool:
        """Return whether the process has initialized MPI."""
        return self.registry.info.status in ("started", "finalized")

    @property
    def calls(self) -> int:
        """The number of MPI calls of the process so far."""
        return self.registry.count_of_calls

    def movement(self) -> object:
        """A value that changes whenever an MPI call begins or returns."""
        self.refresh()
        threads = [t for t in self.registry.threads() if isinstance(t, Thread)]
        return self.calls, [(t.serial, t.depth, t.call is None) for t in threads]

    def progress(self) -> object:
        """A value that changes like `movement`, except for calls that test and find nothing."""
        self.refresh()
        return progress(self.registry)

    def inside(self) -> list[str]:
        """The procedures that the process's threads are in."""
        process = self.process(0)
        return [
            *(one.call.procedure for one in operations(process)),
            *(one.procedure for one in marked(process)),
        ]

    def label(self) -> str:
        """ "rank 3", or the process id if the process has no rank."""
        rank = self.registry.info.world_rank
        return f"process {self.pid}" if rank is None else f"rank {rank}{mark(self.spawned)}"

    def function(self, address: int) -> str:
        """The function at an address, as `<name>`."""
        return self.places.function(address)

    def file(self, address: int) -> str:
        """The path of the file that contains an address of code; "" if unknown."""
        return self.places.file(address)


class Unread:
    """Stands for the records of a process that is left out, with the facts that were known
    before."""

    def __init__(self, info: ProcessInfo) -> None:
        self.info = info

    def invalidate(self) -> None:
        """Do nothing: the records are not read again."""

    def __getattr__(self, name: str) -> object:
        raise MpippError("the records of a process are damaged")


def progress(registry: Registry) -> object:
    """A value that changes when a process makes an MPI call, except one that tests and finds
    nothing."""
    threads = [t for t in registry.threads() if isinstance(t, Thread)]
    return [
        (t.serial, t.polls.first) if t.polls else (t.serial, t.calls, t.depth, t.call is None)
        for t in threads
    ]


def mark(spawned: int) -> str:
    """The name of a spawned job, to write after the rank of a process."""
    return f" of spawned job {spawned}" if spawned else ""


def operations(process: Process) -> Iterator[Operation]:
    """The current MPI calls of the threads of a process."""
    for thread in process.threads:
        if thread.call is not None:
            yield Operation(process, thread.call, None, thread.tid)


def marked(process: Process) -> Iterator[ThreadCall]:
    """The current calls of which only the procedure's name is recorded, not the arguments."""
    for thread in process.registry.threads():
        found = thread.marked if isinstance(thread, Thread) else None
        # A recorded call that has just begun may still show the name of the thread's previous call.
        if found is not None and found.procedure not in procedures.PROCEDURES:
            yield found


def handed(connection: socket.socket) -> said.FirstMessage | None:
    """Read the first message of a process of the same user; None if it has closed the connection.

    Raises MpippError for any other process.
    """
    _, user = launch.peer(connection)
    if user != os.geteuid():
        raise MpippError(f"user {user} connected to the watcher of another user")
    return said.greeting(connection)
