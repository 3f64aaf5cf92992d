# SPDX-License-Identifier: MIT
"""The connection to the gdb of a job. Each message is a line with a JSON object.

gdb sends `release`, `kill`, `restart`, `detach`, `input` and `end_input`, and receives `started`,
`held`, `output`, `ended` and `failed`. In a debug adapter, gdb also sends `message` and receives
`request`.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
from collections.abc import Callable, Mapping
from typing import Any

from mpipp.cli.commands.debug.job import Job
from mpipp.common.errors import MpippError
from mpipp.watcher.ipc import launch

_MOST = 1 << 16


class GdbLink:
    """Accepts the connection of one gdb, starts the job then, and carries out gdb's messages.

    Args:
        path: the socket to which gdb connects.
        job: None if gdb attaches to processes that run already.
        others: is called with messages that do not concern the job.
    """

    def __init__(
        self,
        path: str,
        job: Job | None,
        selector: selectors.DefaultSelector,
        others: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self._job, self._selector, self._others = job, selector, others
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen(1)
        self._connection: socket.socket | None = None
        self._unread = b""
        self._selector.register(self._listener, selectors.EVENT_READ, self._meet)

    @property
    def is_connected(self) -> bool:
        """Return whether gdb is connected."""
        return self._connection is not None

    def send(self, **message: object) -> None:
        """Send a message if gdb is connected."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.sendall(json.dumps(message).encode() + b"\n")

    def _start_job(self) -> None:
        if self._job is None:
            return
        self.send(started=True)
        try:
            self._job.start()
        except MpippError as error:
            self.send(failed=str(error))

    def _meet(self) -> None:
        connection, _ = self._listener.accept()
        if launch.peer(connection)[1] != os.geteuid() or self._connection is not None:
            connection.close()
            return
        self._connection = connection
        self._selector.register(connection, selectors.EVENT_READ, self._hear)
        self._start_job()

    def _hear(self) -> None:
        assert self._connection is not None
        try:
            data = self._connection.recv(_MOST)
        except OSError:
            data = b""
        if not data:  # gdb has closed the connection because it ends
            self._selector.unregister(self._connection)
            self._connection.close()
            self._connection = None
            return
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))

    def _obey(self, message: Mapping[str, Any]) -> None:
        word, value = next(iter(message.items()))
        if self._others is not None and word == "message":
            self._others(value)
        if self._job is None:
            return
        if word == "release":
            self._job.release()
        elif word in ("kill", "restart"):
            self._job.end()
            if word == "restart":
                self._start_job()
        elif word == "detach":
            self._job.detach()
        elif word == "input":
            self._job.pass_input(str(value))
        elif word == "end_input":
            self._job.end_input()
