# SPDX-License-Identifier: MIT
"""Runs gdb and the launcher side by side, and passes messages between gdb and the ranks.

gdb connects to a socket in the run's directory. Messages are JSON objects, one a line. gdb sends
`release`, `kill`, `restart`, `detach`, `input` and `end_input`. It receives `started`, `held`,
`output`, `ended` and `failed`.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mpipp.cli.commands.debug import launcher
from mpipp.cli.commands.debug.held_ranks import HeldRanks
from mpipp.cli.commands.debug.output_lines import LineReader
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.watcher.ipc import launch

DEBUGGER, RANKS = "debugger", "ranks"  # sockets in the run's directory
_STEP = 0.1  # seconds between searches for processes that have ended
_MOST = 1 << 16


class Supervisor:
    """One `mpipp debug`: gdb, the launcher, and the ranks."""

    def __init__(
        self, directory: str, command: Sequence[str], variables: Mapping[str, str], stdin_rank: int
    ) -> None:
        self._command, self._variables = command, variables
        self._stdin_rank = stdin_rank
        self._selector = selectors.DefaultSelector()
        self._ranks = HeldRanks(os.path.join(directory, RANKS))
        self._register(self._ranks.listener, self._accept)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(os.path.join(directory, DEBUGGER))
        listener.listen(1)
        self._register(listener, lambda: self._meet(listener))
        self._gdb: subprocess.Popen[bytes] | None = None
        self._launcher: subprocess.Popen[bytes] | None = None
        self._debugger: socket.socket | None = None
        self._unread = b""
        self._readers: dict[int, LineReader] = {}  # by file descriptor
        self._input = -1
        self._is_detached = False
        self._is_ending = False  # hide the launcher's output about an end that the user requested

    def run(self, gdb: Sequence[str]) -> int:
        """Start gdb on this terminal; returns its exit status.

        Raises MpippError.
        """
        # The terminal sends these signals to gdb, too.
        for number in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))
        try:
            self._gdb = _started(gdb)
            while self._gdb.poll() is None:
                self._listen()
            status = self._gdb.returncode
            if self._is_detached:
                status = self._await_launcher()
            return status if status >= 0 else 128 - status
        finally:
            self._end_job()
            if self._gdb is not None and self._gdb.poll() is None:
                self._gdb.kill()
                self._gdb.wait()

    def _register(self, file: Any, action: Callable[[], None]) -> None:
        self._selector.register(file, selectors.EVENT_READ, action)

    def _listen(self, seconds: float = _STEP) -> None:
        for key, _ in self._selector.select(seconds):
            if key.fd in self._selector.get_map():  # the action before may have closed the file
                key.data()
        for reader in self._readers.values():
            self._show(reader.rest())
        self._report_end()

    def _await_launcher(self) -> int:
        # The user detached the job: show its output in this terminal.
        while self._launcher is not None and self._launcher.poll() is None:
            self._listen()
        while self._readers:
            self._listen()
        return self._launcher.returncode if self._launcher is not None else 0

    def _meet(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        if launch.peer(connection)[1] != os.geteuid() or self._debugger is not None:
            connection.close()
            return
        self._debugger = connection
        self._register(connection, self._hear)
        self._start_job()

    def _hear(self) -> None:
        assert self._debugger is not None
        try:
            data = self._debugger.recv(_MOST)
        except OSError:
            data = b""
        if not data:  # gdb has closed the connection, and ends
            self._selector.unregister(self._debugger)
            self._debugger.close()
            self._debugger = None
            return
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))

    def _obey(self, message: Mapping[str, Any]) -> None:
        word, value = next(iter(message.items()))
        if word == "release":
            self._ranks.release()
        elif word in ("kill", "restart"):
            self._end_job()
            if word == "restart":
                self._start_job()
        elif word == "detach":
            self._is_detached = True
        elif word == "input" and self._input >= 0:
            with contextlib.suppress(OSError):
                os.write(self._input, str(value).encode() + b"\n")
        elif word == "end_input" and self._input >= 0:
            os.close(self._input)
            self._input = -1

    def _send_message(self, **message: object) -> None:
        if self._debugger is not None:
            with contextlib.suppress(OSError):
                self._debugger.sendall(json.dumps(message).encode() + b"\n")

    def _start_job(self) -> None:
        self._is_detached = self._is_ending = False
        self._send_message(started=True)
        try:
            self._launcher = launcher.start(self._command, self._variables)
        except MpippError as error:
            self._send_message(failed=str(error))
            return
        assert self._launcher.stdout is not None
        self._read(os.dup(self._launcher.stdout.fileno()), "launcher")
        self._launcher.stdout.close()

    def _end_job(self) -> None:
        self._is_ending = True
        self._ranks.kill()
        if self._launcher is not None:
            launcher.end(self._launcher, self._drain)
            self._launcher = None
        for reader in list(self._readers.values()):
            self._close(reader)
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def _drain(self) -> None:
        for reader in list(self._readers.values()):
            os.set_blocking(reader.descriptor, False)
            with contextlib.suppress(OSError):
                os.read(reader.descriptor, _MOST)

    def _report_end(self) -> None:
        if self._launcher is None or self._launcher.poll() is None or self._readers:
            return
        status = self._launcher.returncode
        if not self._is_detached:
            self._launcher = None
        self._send_message(ended=status if status >= 0 else 128 - status)

    def _accept(self) -> None:
        assert self._gdb is not None
        held = self._ranks.accept(self._gdb.pid, self._stdin_rank)
        if held is None:
            return
        self._read(held.output, f"rank {held.rank}" if held.rank >= 0 else f"process {held.pid}")
        if held.input >= 0:
            self._input = held.input
        self._send_message(held={"pid": held.pid, "rank": held.rank, "size": held.size})

    def _read(self, descriptor: int, label: str) -> None:
        reader = self._readers[descriptor] = LineReader(descriptor, label)

        def go_on() -> None:
            lines = reader.read()
            if lines is None:
                self._show(reader.rest(is_end=True))
                self._close(reader)
            else:
                self._show(lines)

        self._register(descriptor, go_on)

    def _close(self, reader: LineReader) -> None:
        self._selector.unregister(reader.descriptor)
        os.close(reader.descriptor)
        del self._readers[reader.descriptor]

    def _show(self, lines: Sequence[str]) -> None:
        if not lines or self._is_ending:
            return
        if self._debugger is not None and not self._is_detached:
            self._send_message(output=lines)
            return
        # If gdb is ending, it would lose these lines.
        for line in lines:
            sys.stdout.write(plain(line, "\t") + "\n")
        sys.stdout.flush()


def _started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(words, preexec_fn=_restore_signals)
    except OSError as error:
        raise MpippError(f"cannot start {words[0]}: {error.strerror}") from None


def _restore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
