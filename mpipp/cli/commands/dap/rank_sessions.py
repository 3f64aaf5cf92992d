# SPDX-License-Identifier: MIT
"""Connections between the adapter of a job and the adapters of its ranks' sessions.

The messages are those of the protocol, one JSON object a line, over a socket in the private
directory of the job.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
from collections.abc import Callable, Mapping
from typing import Any

from mpipp.cli.commands.debug import json_lines
from mpipp.common.errors import MpippError
from mpipp.dap import messages
from mpipp.dap.messages import Message
from mpipp.watcher.ipc import launch

_MOST = 1 << 16


class _Connection:
    def __init__(
        self,
        connected: socket.socket,
        selector: selectors.DefaultSelector,
        hear: Callable[[_Connection, Message | None], None],
    ) -> None:
        self._socket, self._selector, self._hear = connected, selector, hear
        self._messages = json_lines.Messages()
        self.rank: int | None = None
        selector.register(connected, selectors.EVENT_READ, self._read)

    def _read(self) -> None:
        try:
            data = self._socket.recv(_MOST)
            found = self._messages.complete(data)
        except (OSError, ValueError):
            data, found = b"", []
        for message in found:
            self._hear(self, message)
        if not data:
            self.close()
            self._hear(self, None)

    def send(self, message: Mapping[str, Any]) -> None:
        with contextlib.suppress(OSError):
            self._socket.sendall(json_lines.line(message))

    @property
    def is_open(self) -> bool:
        return self._socket.fileno() >= 0

    def close(self) -> None:
        if self.is_open:
            self._selector.unregister(self._socket)
            self._socket.close()


class RankSessions:
    """The sessions of single ranks, in the adapter of the job.

    Args:
        path: of the socket to which they connect.
        request: is called with their requests for gdb.
    """

    def __init__(
        self,
        path: str,
        selector: selectors.DefaultSelector,
        request: Callable[[Message], None],
    ) -> None:
        self._path, self._selector, self._request = path, selector, request
        self._connections: dict[int, _Connection] = {}  # by rank
        self._requested: dict[int, int] = {}  # ranks by the number of a request to the client
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen()
        selector.register(self._listener, selectors.EVENT_READ, self._meet)

    def completed(self, request: Mapping[str, Any]) -> Message:
        """Return a request to start a session, with the path of the socket."""
        arguments = request["arguments"]
        configuration = {**arguments["configuration"], "socket": self._path}
        return {**request, "arguments": {**arguments, "configuration": configuration}}

    def note_request(self, number: int, request: Message) -> None:
        """Note that the client got a request to start a session."""
        self._requested[number] = request["arguments"]["configuration"]["rank"]

    def note_response(self, response: Message) -> None:
        """Note the response of the client to a request to start a session."""
        rank = self._requested.pop(response.get("request_seq", 0), None)
        if rank is not None and not response.get("success"):
            self._leave(rank)

    def send(self, rank: int, message: Mapping[str, Any]) -> None:
        """Send a message to the session of a rank."""
        connection = self._connections.get(rank)
        if connection is None:
            return
        connection.send({name: one for name, one in message.items() if name != messages.SESSION})
        if message.get("event") == "terminated":
            del self._connections[rank]
            connection.close()

    def close(self) -> None:
        """End all sessions of ranks."""
        if self._listener.fileno() >= 0:
            self._selector.unregister(self._listener)
            self._listener.close()
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _meet(self) -> None:
        connected, _ = self._listener.accept()
        if launch.peer(connected)[1] != os.geteuid():
            connected.close()
            return
        _Connection(connected, self._selector, self._hear)

    def _hear(self, connection: _Connection, message: Message | None) -> None:
        rank = connection.rank
        if message is None:
            if rank is not None and self._connections.get(rank) is connection:
                del self._connections[rank]
                self._leave(rank)
        elif rank is not None:
            self._request({**message, messages.SESSION: rank})
        else:
            self._begin(connection, message)

    def _begin(self, connection: _Connection, request: Message) -> None:
        rank = request["arguments"]["rank"]
        if rank in self._connections:
            sentence = f"rank {rank} has a session already"
            connection.send(messages.failure(request, sentence))
            return
        connection.rank = rank
        self._connections[rank] = connection
        self._request({**request, messages.SESSION: rank})

    def _leave(self, rank: int) -> None:
        self._request({"seq": 0, "command": messages.LEAVE, messages.SESSION: rank})


class JobSession:
    """The connection of a rank's session to the adapter of its job.

    Args:
        path: of the adapter's socket.
        hear: is called with each message from there, and with None when the job's session ends.

    Raises MpippError.
    """

    def __init__(
        self,
        path: str,
        selector: selectors.DefaultSelector,
        hear: Callable[[Message | None], None],
    ) -> None:
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            launch.connect(connected, path)
        except OSError as error:
            connected.close()
            raise MpippError(f"the session of the job has ended ({error})") from None
        self._connection = _Connection(connected, selector, lambda _, message: hear(message))

    def send(self, request: Message) -> None:
        """Send a request to gdb. Raises MpippError after the end of the session."""
        if not self._connection.is_open:
            raise MpippError("the session of this rank has ended")
        self._connection.send(request)
