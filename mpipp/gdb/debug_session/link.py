# SPDX-License-Identifier: MIT
"""The connection to `mpipp debug`, which started the job and this gdb."""

from __future__ import annotations

import contextlib
import functools
import json
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any

from mpipp.gdb.browser_server import gdb_thread
from mpipp.watcher.ipc import launch

_MOST = 1 << 16


class Link:
    """A connection that sends messages, and handles received messages on gdb's thread."""

    def __init__(self, path: str, handle: Callable[[Mapping[str, Any]], None]) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        launch.connect(self._socket, path)
        self._handle = handle
        start_thread(self._read)

    def send(self, **message: object) -> None:
        """Send a message."""
        with contextlib.suppress(OSError):
            self._socket.sendall(json.dumps(message).encode() + b"\n")

    def _read(self) -> None:
        rest = b""
        while True:
            try:
                data = self._socket.recv(_MOST)
            except OSError:
                data = b""
            if not data:
                gdb_thread.post(lambda: self._handle({"lost": True}))
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                gdb_thread.post(functools.partial(self._handle, json.loads(line)))


def start_thread(action: Callable[[], None]) -> threading.Thread:
    """Run `action()` in a thread that ends with gdb, and in which signals are blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        thread = threading.Thread(target=action, daemon=True)
        thread.start()
        return thread
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Timer:
    """A timer that calls `action()` on gdb's thread, unless it is canceled before."""

    def __init__(self, seconds: float, action: Callable[[], None]) -> None:
        self._over = threading.Event()
        self._seconds, self._action = seconds, action
        start_thread(self._wait)

    def cancel(self) -> None:
        """Cancel the timer."""
        self._over.set()

    def _wait(self) -> None:
        if not self._over.wait(self._seconds):
            gdb_thread.post(self._run)

    def _run(self) -> None:
        if not self._over.is_set():
            self._action()
