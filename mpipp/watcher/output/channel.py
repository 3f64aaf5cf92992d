# SPDX-License-Identifier: MIT
"""How a watcher's findings reach the user: by `mpipp run`, or on the error stream."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import socket
import stat
import struct
import sys
import termios
import time
from collections.abc import Sequence
from typing import Any, Protocol

from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.reports import suppressions
from mpipp.reports.suppressions import Suppression
from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc.protocol import LAUNCHER
from mpipp.watcher.ipc.settings import Settings
from mpipp.watcher.output import node_results
from mpipp.watcher.output.finding_blocks import Block, counted, is_to_be_printed
from mpipp.watcher.output.totals import NOTHING, Total

_READ = 2.0  # seconds in which a launcher reads what was written to it
_STEP = 0.01


class Output(Protocol):
    """Where the watcher tells."""

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """A finding, and the same for machines."""
        ...

    def show_progress(self, processes: int) -> None:
        """Show that the watcher begins to check so many processes; 0: it has finished."""
        ...

    has_launcher: bool

    def stops(self, pids: Sequence[int], tid: int) -> None:
        """A thread stops: gdb is to open on these processes, its own first."""
        ...

    def total(self, total: Total) -> None:
        """The end."""
        ...

    def fileno(self) -> int:
        """Of what becomes readable when the launcher says something; -1 if nothing does."""
        ...

    def receive(self) -> bytes:
        """Receive from the launcher: INTERRUPTED; nothing if the program has ended."""
        ...


def output(directory: str, settings: Settings) -> ToLauncher | ToStream:
    """To the launcher that listens in a directory; to the error stream without one."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        launch.connect(connection, os.path.join(directory, LAUNCHER))
    except OSError:
        connection.close()
        return ToRun(settings) if settings.report else ToStream()
    return ToLauncher(connection)


class ToLauncher:
    """Lines of JSON on a connection."""

    has_launcher = True

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """A finding, and the same for machines."""
        self._send({"block": text, "findings": found})

    def show_progress(self, processes: int) -> None:
        """Tell the launcher how many processes are being checked; 0: none any more."""
        self._send({"looking": processes})

    def stops(self, pids: Sequence[int], tid: int) -> None:
        """A thread stops: gdb is to open on these processes, its own first."""
        self._send({"stops": list(pids), "tid": tid})

    def total(self, total: Total) -> None:
        """The end."""
        self._send({"total": list(total)})

    def failed(self, sentence: str) -> None:
        """The watcher cannot go on."""
        self._send({"failed": sentence})

    def close(self) -> None:
        """Nothing more will be said."""
        self._connection.close()

    def fileno(self) -> int:
        """The connection, on which the launcher says something."""
        return self._connection.fileno()

    def receive(self) -> bytes:
        """Receive from the launcher: INTERRUPTED, or nothing when the program has ended."""
        try:
            return self._connection.recv(1)
        except OSError:
            return b""

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the launcher was killed
            self._connection.sendall(json.dumps(message).encode() + b"\n")


class ToStream:
    """Text on the error stream that the first process of the node had."""

    has_launcher = False

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """A finding."""
        self._write(text + "\n\n")

    def stops(self, pids: Sequence[int], tid: int) -> None:
        """Nobody opens a debugger here."""

    def show_progress(self, processes: int) -> None:
        """Show nothing: nobody waits here."""

    def total(self, total: Total) -> None:
        """The end."""
        for sentence in total.remarks():
            self._write(f"mpipp: {sentence}\n")
        if total.processes:
            self._write(f"mpipp: {total.line()}\n")

    def failed(self, sentence: str) -> None:
        """The watcher cannot go on."""
        self._write(f"mpipp: {sentence}\n")

    def close(self) -> None:
        """Nothing more will be said."""

    def fileno(self) -> int:
        """No launcher says anything."""
        return -1

    def receive(self) -> bytes:
        """Receive nothing: there is no launcher."""
        return b""

    def _write(self, text: str) -> bool:
        try:
            sys.stderr.write(plain(text))
            sys.stderr.flush()
        except OSError:
            return False
        return True


class ToRun(ToStream):
    """The same, and into the run's directory."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._failed = False
        known: Sequence[Suppression] = ()
        with contextlib.suppress(MpippError):  # the watcher reads them, too, and says so
            known = suppressions.read(settings.suppress).known
        self._node = node_results.Node(launch.node(), False, NOTHING, [], settings.checks, known)
        self._save()

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """A finding; where all nodes have one terminal, only the first of them prints it."""
        is_first = not self._settings.launched or is_to_be_printed(
            self._settings.report, text, found
        )
        printed = is_first and self._write(text + "\n\n")
        self._node.blocks.append(Block(text, found, printed))
        if not self._save() and not printed and self._write(text + "\n\n"):
            # Nobody else knew of these ranks; a launcher that hears of them later prints no more.
            self._node.blocks[-1] = Block(text, found, True)

    def total(self, total: Total) -> None:
        """The end; whoever has started the run says that of all nodes."""
        if self._settings.launched:
            self._take_back(unread(sys.stderr.fileno()))
        self._node = self._node._replace(ended=True, total=total)
        if not self._save() or not self._settings.launched:
            super().total(total)

    def failed(self, sentence: str) -> None:
        """The watcher cannot go on."""
        super().failed(sentence)
        lost = (f"node {self._node.name}: {sentence}",)
        total = counted(self._node.blocks)._replace(lost=lost)
        self._node = self._node._replace(ended=True, total=total)
        self._save()

    def _take_back(self, count: int) -> None:
        # The last blocks are in a pipe of which so many bytes will never be read.
        for number in reversed(range(len(self._node.blocks))):
            one = self._node.blocks[number]
            if count > 0 and one.printed:
                self._node.blocks[number] = one._replace(printed=False)
                count -= len(one.text.encode()) + len("\n\n")

    def _save(self) -> bool:
        try:
            node_results.save(self._settings.report, self._node)
        except OSError as error:
            if not self._failed:
                self._write(f"mpipp: cannot write {self._settings.report}: {error.strerror}\n")
            self._failed = True
            return False
        return True


def unread(stream: int) -> int:
    """How many bytes of what was written to a pipe nobody will read, since the reader has gone.

    A launcher that is there is given some time to read them; what it has not read by then it will.
    """
    asked = select.poll()
    asked.register(stream, 0)  # for POLLERR
    until = time.monotonic() + _READ
    try:
        while stat.S_ISFIFO(os.fstat(stream).st_mode):
            has_gone = bool(asked.poll(0))
            count = struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, bytes(4)))[0]
            if has_gone or not count or time.monotonic() > until:
                return count if has_gone else 0
            time.sleep(_STEP)
    except OSError:
        pass
    return 0
