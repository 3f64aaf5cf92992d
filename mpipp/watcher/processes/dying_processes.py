# SPDX-License-Identifier: MIT
"""The processes that wait at their end until their stacks are read."""

from __future__ import annotations

import contextlib
import socket
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import NamedTuple

from mpipp.common.errors import MpippError
from mpipp.watcher.ipc.layouts import Dying
from mpipp.watcher.processes.process import WatchedProcess

_MOST_BYTES = 1 << 18  # bytes of a stack that are read


class StackCopy:
    """The memory of a process at the time of its signal: its stack, and other memory while it
    waits.

    A launcher may end the process at any time.
    """

    def __init__(self, one: WatchedProcess, start: int) -> None:
        self._one, self._start, self._bytes = one, start, b""
        self.is_current = False
        if start:
            with contextlib.suppress(MpippError):
                self._bytes = one.beside(start, _MOST_BYTES)

    def read(self, address: int, length: int) -> bytes:
        """Read bytes. Raises MpippError if not all can be read."""
        at = address - self._start
        if at >= 0 and at + length <= len(self._bytes):
            return self._bytes[at : at + length]
        return self._one.read(address, length)


class _Waiting(NamedTuple):
    one: WatchedProcess
    dying: Dying
    memory: StackCopy


class DyingProcesses:
    """Answers the dying processes only after the stacks of all are read; then they continue."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._connections: list[socket.socket] = []

    def __bool__(self) -> bool:
        """Return whether any process waits."""
        return bool(self._connections)

    def add(
        self, connection: socket.socket, dying: Dying, watched: Iterable[WatchedProcess]
    ) -> None:
        """Copy the stack of a process, which continues when the connection is closed."""
        self._connections.append(connection)
        for one in watched:
            if one.pid == dying.pid and not one.is_left_out:
                one.places.refresh()
                self._waiting.append(_Waiting(one, dying, StackCopy(one, dying.stack)))

    def read_next(self) -> WatchedProcess | None:
        """Read the stack of one process, and return the process; None if none is left."""
        if not self._waiting:
            return None
        from mpipp.watcher.processes import death_stacks  # slow to import

        one, dying, memory = self._waiting.popleft()
        one.fatal = death_stacks.read(one, dying, memory)
        return one

    def __enter__(self) -> None:
        """Do nothing: the processes wait already."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let all processes continue."""
        self._waiting.clear()
        for connection in self._connections:
            connection.close()
        self._connections.clear()
