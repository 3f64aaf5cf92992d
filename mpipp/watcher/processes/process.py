# SPDX-License-Identifier: MIT
"""A watched process: its connection, its records, and what is known of its end."""

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
from mpipp.watcher.processes.liveness import goes_on
from mpipp.watcher.processes.query_records import Asker

RUNNING, OVER, GONE, LOST = "running", "over", "gone", "lost"
_NOT_KNOWN = ProcessInfo("", "inert", 0, None, None, None, False, "", "", 0, 0, 0)
_PATIENCE = 0.2  # seconds, of a process that has closed its files, until it has ended


class Watched(Recorded):
    """One process. Its records are read when it is at rest: over, gone, or where nothing changes.

    Attributes:
        state: RUNNING; OVER, when it has said so; GONE without; LOST, when it goes on unseen.
        end: why it is over: FINALIZED, EXITING or ABORTING; 0 if it has not said so.
        strict: whether it compares calls before they begin.
        job: what tells the launcher's jobs apart.
        spawned: of what MPI_Comm_spawn has started, the number of its job; else 0.
        deferred: how often its end was heard, and what others had said before came first.
        stopped: whether it was told to stop, since something was found.
        ended_at: when it ended, if that was not as it should be, on the monotonic clock.
        is_left_out: whether nothing is read of it any more, since its records make no sense.

    Raises MpippError when its records cannot be read.
    """

    def __init__(self, connection: socket.socket, hello: Hello) -> None:
        self.connection = connection
        self.pid, self.strict = hello.pid, hello.strict
        self.state, self.end = RUNNING, 0
        self.ended_at = 0.0
        self.spawned = 0
        self.deferred = 0
        self.stopped = False
        self.is_left_out = False
        with contextlib.ExitStack() as opened:
            opened.callback(os.close, hello.file)
            self._exit = Exit(connection, hello.pid)
            opened.callback(self._exit.close)
            others = None
            with contextlib.suppress(MpippError):  # the system may not allow it
                others = ProcessMemory(hello.pid)
                opened.callback(others.close)
            self._others = others
            self.memory = FileMemory(hello.file, hello.arena, others, partial(goes_on, hello.pid))
            self.places = Places(hello.pid, self.memory.code())
            self.registry: Registry = Touched(self.memory, hello.root, self.places)
            self.asker = Asker(self.memory, hello.root, self.places)
            self.job = self.registry.info.job
            opened.pop_all()  # they stay open

    def refresh(self) -> None:
        """The process has run: forget what may have changed."""
        self.memory.refresh()
        self.registry.invalidate()

    def process(self, number: int) -> Process:
        """As the checks see it."""
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
        """Read nothing of it any more, and let it go on; returns what it is called."""
        info = replace(_NOT_KNOWN, pid=self.pid)
        with contextlib.suppress(Exception):
            info = self.registry.info
        self.is_left_out = True
        self.registry = cast(Registry, Unread(info))
        self.state = LOST
        self.answer(said.LOOKED)
        return self.label()

    def ending(self) -> Ending | None:
        """How it has ended, by a signal or with an exit status; None if the system does not say."""
        return None if self.state == RUNNING else self._exit.ending(_PATIENCE)

    def beside(self, address: int, most: int) -> bytes:
        """Of its own memory at most so many bytes, as far as there are any.

        Raises MpippError where the system does not allow it.
        """
        if self._others is None:
            raise MpippError(f"the memory of process {self.pid} is not to be read")
        return self._others.beginning(address, most)

    def is_stopped(self) -> bool:
        """Whether it has stopped where something was found, and has not gone on."""
        if self.stopped:
            try:
                with open(f"/proc/{self.pid}/stat", encoding="utf-8", errors="replace") as stat:
                    self.stopped = stat.read().rpartition(")")[2].split()[0] in "Tt"
            except (OSError, IndexError):
                self.stopped = False
        return self.stopped

    def has_said_more(self) -> bool:
        """Whether it has said what was not heard yet."""
        ready = select.poll()
        try:
            ready.register(self.connection, select.POLLIN)
            return bool(ready.poll(0) and self.connection.recv(1, socket.MSG_PEEK))
        except (OSError, ValueError):
            return False

    def answer(self, what: bytes) -> None:
        """Tell the process that waits for it."""
        with contextlib.suppress(OSError):
            self.connection.send(what, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)

    @property
    def initialized(self) -> bool:
        """Whether it has initialized MPI."""
        return self.registry.info.status in ("started", "finalized")

    @property
    def calls(self) -> int:
        """How many calls of MPI it has made so far."""
        return self.registry.count_of_calls

    def movement(self) -> object:
        """What differs after any call of MPI has begun or returned."""
        self.refresh()
        threads = [t for t in self.registry.threads() if isinstance(t, Thread)]
        return self.calls, [(t.serial, t.depth, t.call is None) for t in threads]

    def progress(self) -> object:
        """The same, but for calls of MPI that look for something and find nothing."""
        self.refresh()
        threads = [t for t in self.registry.threads() if isinstance(t, Thread)]
        return [
            (t.serial, t.polls.first) if t.polls else (t.serial, t.calls, t.depth, t.call is None)
            for t in threads
        ]

    def inside(self) -> list[str]:
        """The procedures that its threads are inside of."""
        process = self.process(0)
        return [
            *(one.call.procedure for one in operations(process)),
            *(one.procedure for one in marked(process)),
        ]

    def label(self) -> str:
        """ "rank 3", or the number of a process that has none."""
        rank = self.registry.info.world_rank
        return f"process {self.pid}" if rank is None else f"rank {rank}{mark(self.spawned)}"

    def function(self, address: int) -> str:
        """The function at an address, as `<name>`."""
        return self.places.function(address)

    def file(self, address: int) -> str:
        """The path of the file that an address of code is in, "" if it is not known."""
        return self.places.file(address)


class Unread:
    """In the place of the records of a process that is left out: what was known of it before."""

    def __init__(self, info: ProcessInfo) -> None:
        self.info = info

    def invalidate(self) -> None:
        """Nothing is read anew."""

    def __getattr__(self, name: str) -> object:
        raise MpippError("the records of a process are damaged")


def mark(spawned: int) -> str:
    """What is said of processes by the number of their job, behind their ranks."""
    return f" of spawned job {spawned}" if spawned else ""


def operations(process: Process) -> Iterator[Operation]:
    """The calls that a process's threads are inside of."""
    for thread in process.threads:
        if thread.call is not None:
            yield Operation(process, thread.call, None, thread.tid)


def marked(process: Process) -> Iterator[ThreadCall]:
    """The same of those of which nothing else is recorded."""
    for thread in process.registry.threads():
        found = thread.marked if isinstance(thread, Thread) else None
        # The name is that of the call before, if a thread has just begun one that is recorded.
        if found is not None and found.procedure not in procedures.PROCEDURES:
            yield found


def handed(connection: socket.socket) -> said.First | None:
    """What a process says first, of one of the same user; None if it has gone.

    Raises MpippError for any other.
    """
    _, user = launch.peer(connection)
    if user != os.geteuid():
        raise MpippError(f"user {user} has asked the watcher of another")
    return said.greeting(connection)
