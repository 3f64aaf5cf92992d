# SPDX-License-Identifier: MIT
"""A server for browsers over a Unix socket: JSON, one message a line (docs/howto/browse.md).

One thread handles all communication, so gdb never waits for a browser. That thread passes requests
to gdb's own thread. If gdb takes too long, this thread answers in its place.
"""

from __future__ import annotations

import contextlib
import json
import selectors
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mpipp.common import browser_socket
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain

Message = dict[str, Any]

_LONGEST_REQUEST = 1 << 16  # bytes
_MOST_UNSENT = 1 << 24  # bytes kept for a browser that does not read
_PATIENCE = 2.0  # seconds that gdb gets for a reply


class _Client:
    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.received = b""
        self.unsent = b""
        self.told = False  # the browser knows of a change, and has sent no request since


class _Ticket:
    # A request that gdb has not answered yet.

    def __init__(self, client: _Client, request: Message, patience: float) -> None:
        self.client = client
        self.request = request
        self.deadline = time.monotonic() + patience
        self.done = False


class Server:
    """A server that listens at `path` until it is closed.

    Args:
        post: runs a function soon on gdb's thread.
        answer: makes a reply to a request, on gdb's thread.
    """

    def __init__(
        self,
        path: Path,
        post: Callable[[Callable[[], None]], None],
        answer: Callable[[Message], Message],
        patience: float = _PATIENCE,
    ) -> None:
        self.path = path
        self._post = post
        self._answer = answer
        self._patience = patience
        self._clients: set[_Client] = set()
        self._tickets: list[_Ticket] = []
        # From gdb's thread to this one: a reply with its request, or None and a notice for all
        # browsers. A byte in the socket pair wakes this thread up.
        self._outbox: deque[tuple[_Ticket | None, Message]] = deque()
        self._closing = False
        self._woken, self._wake = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        for end in (self._listener, self._woken, self._wake):
            end.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ, self._accept)
        self._selector.register(self._woken, selectors.EVENT_READ, self._drain)
        self._thread = threading.Thread(target=self._serve, name="mpipp browse", daemon=True)
        # gdb must get all signals, so this thread blocks them: a new thread inherits the mask.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._thread.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @property
    def is_used(self) -> bool:
        """Return whether a browser is connected."""
        return bool(self._clients)

    def changed(self) -> None:
        """Notify all browsers that the program has changed. Call it on gdb's thread; it never
        waits.

        A browser that has sent no request since its last notice gets none: gdb may step many times
        a second.
        """
        self._put(None, {"event": "changed"})

    def close(self) -> None:
        """Tell the browsers that the server ends, and remove the socket."""
        self._closing = True
        self._put(None, {"event": "bye"})
        self._thread.join(1)
        browser_socket.remove(self.path)

    def _put(self, ticket: _Ticket | None, message: Message) -> None:
        self._outbox.append((ticket, message))
        with contextlib.suppress(OSError):  # the socket pair is full, or closed
            self._wake.send(b".")

    def _serve(self) -> None:
        while not self._closing or self._outbox:
            for key, events in self._selector.select(self._timeout()):
                key.data(events)
            self._deliver()
            self._give_up()
        for client in list(self._clients):
            self._drop(client)
        for end in (self._listener, self._woken, self._wake, self._selector):
            end.close()

    def _deliver(self) -> None:
        while self._outbox:
            ticket, message = self._outbox.popleft()
            if ticket is None:
                self._notify(message)
            else:
                self._reply(ticket, message)

    def _notify(self, message: Message) -> None:
        for client in list(self._clients):
            if not client.told or message["event"] != "changed":
                client.told = True
                self._send(client, message)

    def _timeout(self) -> float | None:
        if not self._tickets:
            return None
        return max(0.0, min(t.deadline for t in self._tickets) - time.monotonic())

    def _give_up(self) -> None:
        now = time.monotonic()
        for ticket in [t for t in self._tickets if t.deadline <= now]:
            busy = "gdb is busy with another command: try again when it is done"
            self._reply(ticket, {"error": busy, "busy": True})

    def _accept(self, _events: int) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        connection.setblocking(False)
        client = _Client(connection)
        self._clients.add(client)
        self._selector.register(
            connection, selectors.EVENT_READ, lambda events: self._ready(client, events)
        )
        self._send(client, {"event": "hello", "protocol": 1})

    def _drain(self, _events: int) -> None:
        self._woken.recv(4096)

    def _ready(self, client: _Client, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._flush(client)
        self._deliver()  # a notice from before this request must not follow its reply
        if client not in self._clients or not events & selectors.EVENT_READ:
            return
        try:
            data = client.connection.recv(_LONGEST_REQUEST)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *requests, client.received = (client.received + data).split(b"\n")
        for request in requests:
            self._request(client, request)
        if not data or len(client.received) > _LONGEST_REQUEST:
            self._drop(client)

    def _request(self, client: _Client, text: bytes) -> None:
        try:
            request = json.loads(text)
            if not isinstance(request, dict):
                raise ValueError
        except ValueError:
            self._send(client, {"error": "a request is a JSON object on a line of its own"})
            return
        client.told = False
        ticket = _Ticket(client, request, self._patience)
        self._tickets.append(ticket)
        self._post(lambda: self._ask(ticket))

    def _ask(self, ticket: _Ticket) -> None:
        # Runs on gdb's thread. After the time limit nobody waits for the reply any more.
        if not ticket.done:
            self._put(ticket, reply(self._answer, ticket.request))

    def _reply(self, ticket: _Ticket, message: Message) -> None:
        if not ticket.done:
            ticket.done = True
            self._tickets.remove(ticket)
            self._send(ticket.client, {"id": ticket.request.get("id"), **message})

    def _send(self, client: _Client, message: Message) -> None:
        if client in self._clients:
            client.unsent += json.dumps(message).encode() + b"\n"
            self._flush(client)

    def _flush(self, client: _Client) -> None:
        try:
            sent = client.connection.send(client.unsent)
            client.unsent = client.unsent[sent:]
        except BlockingIOError:
            pass
        except OSError:
            self._drop(client)
            return
        if len(client.unsent) > _MOST_UNSENT:
            self._drop(client)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.unsent else 0)
        key = self._selector.get_key(client.connection)
        self._selector.modify(client.connection, wanted, key.data)

    def _drop(self, client: _Client) -> None:
        if client in self._clients:
            self._clients.remove(client)
            self._selector.unregister(client.connection)
            client.connection.close()
            for ticket in [t for t in self._tickets if t.client is client]:
                ticket.done = True
                self._tickets.remove(ticket)


def reply(answer: Callable[[Message], Message], request: Message) -> Message:
    """The reply to a request, or its error as one sentence."""
    try:
        return answer(request)
    except MpippError as error:
        return {"error": plain(str(error), "")}
    except KeyboardInterrupt:
        return {"error": "interrupted"}
    except Exception as error:  # also gdb's own errors: this thread must not end
        return {"error": plain(str(error), "") or type(error).__name__}
