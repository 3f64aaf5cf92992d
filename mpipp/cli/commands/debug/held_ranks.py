# SPDX-License-Identifier: MIT
"""The ranks of a job that wait before `main` until the debugger has attached."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import tty
from typing import NamedTuple

from mpipp.watcher.ipc import launch

_MAGIC, _SPAWNED = b"MPIPPDBG", b"MPIPPSPN"
# wrapper/debugger/hold.c has the same layouts.
_HELLO, _REPLY = struct.Struct("=8siii"), struct.Struct("=8sii")
_OUTPUT, _INPUT = 1, 2  # bits in a reply: the files that follow it
_BACKLOG = 4096


class HeldRank(NamedTuple):
    """A process that waits before main.

    Attributes:
        rank: the launcher's number; -1 if the launcher sets none.
        size: the number of ranks; -1 if the launcher sets none.
        output: file descriptor from which the output of the process is read.
        input: file descriptor to write its input to; -1 if the process keeps the launcher's input.
        gdbserver: the command that starts the gdbserver of its node; "" for this node.
        is_spawned: True if MPI_Comm_spawn has started the process, which does not wait.
    """

    pid: int
    rank: int
    size: int
    output: int
    input: int
    gdbserver: str = ""
    is_spawned: bool = False

    @property
    def message(self) -> dict[str, object]:
        """Return the fields that gdb receives."""
        fields = ("pid", "rank", "size", "gdbserver")
        return {name: getattr(self, name) for name in fields}


class HeldRanks:
    """Accepts the connections of the processes of one job, and can end the processes."""

    def __init__(self, path: str) -> None:
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(_BACKLOG)
        self._waiting: dict[int, socket.socket] = {}  # by process ID
        # A file descriptor that refers to each process, by process ID.
        self._processes: dict[int, int] = {}

    def accept(self, debugger: int, stdin_rank: int) -> HeldRank | None:
        """Accept the next process; returns None if the connection is not from a rank.

        Args:
            debugger: the process ID that the rank allows to attach.
            stdin_rank: the rank that reads the user's input.
        """
        connection, _ = self.listener.accept()
        pid, user = launch.peer(connection)
        data = connection.recv(_HELLO.size) if user == os.geteuid() else b""
        if len(data) == _HELLO.size and data.startswith(_SPAWNED):
            connection.close()
            return HeldRank(pid, -1, -1, -1, -1, is_spawned=True)
        if len(data) != _HELLO.size or not data.startswith(_MAGIC):
            connection.close()
            return None
        _, _, rank, size = _HELLO.unpack(data)
        files = _Files(has_input=rank == stdin_rank)
        what = _OUTPUT | (_INPUT if files.of_rank[1:] else 0)
        reply = _REPLY.pack(_MAGIC, debugger, what)
        with contextlib.suppress(OSError):  # the process has ended
            socket.send_fds(connection, [reply], files.of_rank)
        files.close_those_of_rank()
        with contextlib.suppress(OSError):
            self._processes[pid] = os.pidfd_open(pid)
        self._waiting[pid] = connection
        return HeldRank(pid, rank, size, files.output, files.input)

    def release(self) -> None:
        """Let all waiting processes begin."""
        for connection in self._waiting.values():
            with contextlib.suppress(OSError):
                connection.send(b"g")
            connection.close()
        self._waiting.clear()

    def kill(self) -> None:
        """End all processes."""
        for descriptor in self._processes.values():
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            os.close(descriptor)
        self._processes.clear()
        for connection in self._waiting.values():
            connection.close()
        self._waiting.clear()


class _Files:
    # The output goes to a terminal, because programs then flush each line, as under a plain gdb.
    def __init__(self, has_input: bool) -> None:
        self.output, terminal = os.openpty()
        tty.setraw(terminal)
        self.of_rank = [terminal]
        self.input = -1
        if has_input:
            read, self.input = os.pipe()
            self.of_rank.append(read)

    def close_those_of_rank(self) -> None:
        for descriptor in self.of_rank:
            os.close(descriptor)
