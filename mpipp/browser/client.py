# SPDX-License-Identifier: MIT
"""The browser's end of the socket. It never blocks: a user interface calls `poll` often."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

Message = dict[str, Any]

_PATIENCE = 5.0  # seconds to wait for a reply; gdb's end has a shorter limit
_RETRY = 1.0  # seconds between two tries to connect
_PROTOCOL = 1


class _Asked(NamedTuple):
    deadline: float
    done: Callable[[Message], None]


class Client:
    """A client of the gdb whose socket `find` returns, and after its end of the next gdb.

    `on_event` gets every message that is no reply: {"event": "hello"}, "changed" and "bye" from
    gdb, and "gone" from this class when the connection is lost.
    """

    def __init__(
        self, find: Callable[[], Path | None], on_event: Callable[[Message], None]
    ) -> None:
        self._find = find
        self._on_event = on_event
        self._connection: socket.socket | None = None
        self._received = b""
        self._unsent = b""
        self._asked: dict[int, _Asked] = {}
        self._number = 0
        self._next_try = 0.0

    def ask(self, request: Message, done: Callable[[Message], None]) -> None:
        """Send a request. `done` gets the reply, or {"error": ...} if there is none."""
        if self._connection is None:
            done({"error": "there is no connection to gdb"})
            return
        self._number += 1
        self._asked[self._number] = _Asked(time.monotonic() + _PATIENCE, done)
        self._unsent += json.dumps({"id": self._number, **request}).encode() + b"\n"
        self._send()

    @property
    def is_waiting(self) -> bool:
        """Return whether a reply is missing."""
        return bool(self._asked)

    def poll(self) -> None:
        """Connect if needed, process new input, and fail requests that take too long."""
        if self._connection is None:
            self._connect()
        else:
            self._send()
        self._receive()
        now = time.monotonic()
        for number in [n for n, asked in self._asked.items() if asked.deadline < now]:
            self._asked.pop(number).done({"error": "gdb does not answer"})

    def close(self) -> None:
        """Close the connection without a message."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> None:
        now = time.monotonic()
        if now < self._next_try:
            return
        self._next_try = now + _RETRY
        path = self._find()
        if path is None:
            return
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
        except OSError:
            connection.close()
            return
        connection.setblocking(False)
        self._connection = connection
        self._received = self._unsent = b""

    def _send(self) -> None:
        if self._connection is not None and self._unsent:
            with contextlib.suppress(OSError):  # a lost connection shows at the next receive
                sent = self._connection.send(self._unsent)
                self._unsent = self._unsent[sent:]

    def _receive(self) -> None:
        while self._connection is not None:
            try:
                data = self._connection.recv(1 << 20)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self._lose()
                return
            *messages, self._received = (self._received + data).split(b"\n")
            for message in messages:
                self._dispatch(json.loads(message))

    def _dispatch(self, message: Message) -> None:
        if "event" not in message:
            asked = self._asked.pop(message.get("id", 0), None)
            if asked is not None:
                asked.done(message)
        elif message["event"] == "hello" and message.get("protocol") != _PROTOCOL:
            self._on_event({"event": "foreign"})
        else:
            self._on_event(message)

    def _lose(self) -> None:
        self.close()
        asked, self._asked = self._asked, {}
        for one in asked.values():
            one.done({"error": "there is no connection to gdb"})
        self._on_event({"event": "gone"})
