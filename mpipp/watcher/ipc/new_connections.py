# SPDX-License-Identifier: MIT
"""Connections to the watcher that have not sent their first message yet."""

from __future__ import annotations

import select
import selectors
import socket
import time
from collections.abc import Iterator

_LATEST = 10.0  # seconds for the first message
_ANSWER = 1.0  # seconds for a process to read an answer


class NewConnections:
    """New connections of a listening socket. `selector` wakes up for their first messages.

    A process sends its first message right after it connects, but may be scheduled late. So the
    watcher does not block on one connection.
    """

    def __init__(self, listener: socket.socket, selector: selectors.BaseSelector) -> None:
        self._listener = listener
        self._selector = selector
        self._since: dict[socket.socket, float] = {}
        listener.setblocking(False)
        selector.register(listener, selectors.EVENT_READ)

    def __bool__(self) -> bool:
        return bool(self._since)

    def ready_connections(self) -> Iterator[socket.socket]:
        """The connections that have sent data or were closed, each once."""
        now = time.monotonic()
        self._accept(now)
        for made, since in list(self._since.items()):
            has_come = _is_readable(made)
            if has_come or now - since > _LATEST:
                self._selector.unregister(made)
                del self._since[made]
            if has_come:
                yield made
            elif made not in self._since:
                made.close()

    def _accept(self, now: float) -> None:
        while True:
            try:
                made, _ = self._listener.accept()
            except OSError:
                return
            made.settimeout(_ANSWER)
            self._since[made] = now
            self._selector.register(made, selectors.EVENT_READ)


def _is_readable(made: socket.socket) -> bool:
    ready = select.poll()
    ready.register(made, select.POLLIN)
    return bool(ready.poll(0))
