# SPDX-License-Identifier: MIT
"""Send a watcher's findings to the user: through `mpipp run`, or to stderr."""

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
from mpipp.render import finding_head
from mpipp.reports import suppressions
from mpipp.reports.suppressions import Suppression
from mpipp.watcher.ipc import launch, run_flags
from mpipp.watcher.output import node_results
from mpipp.watcher.output.finding_blocks import Block, counted, is_to_be_printed
from mpipp.watcher.output.totals import NOTHING, SO_FAR, Total
from mpipp.watcher.settings import Settings

_READ = 2.0  # seconds for a launcher to read its messages
_STEP = 0.01


class Output(Protocol):
    """The destination of reports."""

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """Output a finding as text, and as records for JSON."""
        ...

    def show_progress(self, processes: int) -> None:
        """Show that the watcher begins to check this number of processes; 0 means that it has
        finished."""
        ...

    def show_percent(self, percent: int) -> None:
        """Show how much of the RMA logs the watcher has analysed."""
        ...

    has_launcher: bool

    def stops(self, pids: Sequence[int], tid: int) -> None:
        """Note that a thread stops. gdb opens on the processes `pids`, first on that of
        the thread."""
        ...

    def hangs(self) -> None:
        """Note that the job hangs and must be ended."""
        ...

    def dies(self, sentence: str) -> None:
        """Note that a signal kills a process now. A launcher may end before the report."""
        ...

    def total_so_far(self, total: Total) -> None:
        """Output the total when all processes exit: the watcher may be killed then."""
        ...

    def total(self, total: Total) -> None:
        """Output the total, at the end."""
        ...

    def fileno(self) -> int:
        """The descriptor for the launcher's messages; -1 if there is none."""
        ...

    def receive(self) -> bytes:
        """Receive INTERRUPTED from the launcher, or b"" if the program has ended."""
        ...


class ToAnyLauncher:
    """Sends findings to a launcher, as messages. Subclasses define how."""

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """Send a finding as text, and as records for JSON."""
        self._send({"block": text, "findings": found})

    def show_progress(self, processes: int) -> None:
        """Send the number of processes that are being checked; 0 at the end."""
        self._send({"looking": processes})

    def show_percent(self, percent: int) -> None:
        """Send the percentage of the RMA logs that the watcher has analysed."""
        self._send({"percent": percent})

    def stops(self, pids: Sequence[int], tid: int) -> None:
        """Report that a thread stops. gdb opens on the processes `pids`, first on that of the
        thread."""
        self._send({"stops": list(pids), "tid": tid})

    def dies(self, sentence: str) -> None:
        """Send nothing: the launcher waits for the report."""

    def hangs(self) -> None:
        """Request the end of the job, because it hangs."""
        self._send({"hangs": True})

    def total_so_far(self, total: Total) -> None:
        """Send the total, which counts if the watcher is killed before its end."""
        self._send({SO_FAR: list(total)})

    def total(self, total: Total) -> None:
        """Send the total, at the end."""
        self._send({"total": list(total)})

    def failed(self, sentence: str) -> None:
        """Report that the watcher cannot continue."""
        self._send({"failed": sentence})

    def _send(self, message: dict[str, Any]) -> None:
        raise NotImplementedError


class ToLauncher(ToAnyLauncher):
    """Sends findings to the launcher on this node, as lines of JSON."""

    has_launcher = True

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def fileno(self) -> int:
        """The descriptor for the launcher's messages."""
        return self._connection.fileno()

    def receive(self) -> bytes:
        """Receive INTERRUPTED from the launcher, or b"" if the program has ended."""
        try:
            return self._connection.recv(1)
        except OSError:
            return b""

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the launcher was killed
            self._connection.sendall(json.dumps(message).encode() + b"\n")


class ToStream:
    """Prints findings on the stderr of the first process of the node."""

    has_launcher = False

    def __init__(self) -> None:
        self._total: Total | None = None  # the last one

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """Print a finding."""
        self._print(Block(text, found))

    def stops(self, pids: Sequence[int], tid: int) -> None:
        """Do nothing: without a launcher, no debugger opens here."""

    def show_progress(self, processes: int) -> None:
        """Show nothing: no user waits here."""

    def show_percent(self, percent: int) -> None:
        """Show nothing: no user waits here."""

    def dies(self, sentence: str) -> None:
        """Do nothing: the report follows."""

    def hangs(self) -> None:
        """Do nothing: there is no launcher to end."""

    def total_so_far(self, total: Total) -> None:
        """Print the total when all processes exit."""
        self._total = total
        self._output_total(total)

    def total(self, total: Total) -> None:
        """Print the total at the end, if it has changed since all processes began to exit."""
        if total != self._total:
            self._output_total(total)

    def _output_total(self, total: Total) -> None:
        for sentence in total.remarks():
            self._write(f"mpipp: {sentence}\n")
        if total.processes:
            self._write(total.last(finding_head.has_colours(sys.stderr)))

    def failed(self, sentence: str) -> None:
        """Report that the watcher cannot continue."""
        self._write(f"mpipp: {sentence}\n")

    def close(self) -> None:
        """Close the stream."""

    def fileno(self) -> int:
        """Return -1: there is no launcher."""
        return -1

    def receive(self) -> bytes:
        """Receive nothing: there is no launcher."""
        return b""

    def _print(self, block: Block) -> bool:
        return self._write(block.shown(finding_head.has_colours(sys.stderr)))

    def _write(self, text: str) -> bool:
        try:
            sys.stderr.write(plain(text))
            sys.stderr.flush()
        except OSError:
            return False
        return True


class ToRun(ToStream):
    """Prints findings on stderr, and saves them in the run's directory."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._failed = False
        known: Sequence[Suppression] = ()
        # The watcher reads the file, too, and reports the error.
        with contextlib.suppress(MpippError):
            known = suppressions.read(settings.suppress).known
        self._node = node_results.Node(launch.node(), False, NOTHING, [], settings.checks, known)
        self._save()

    def block(self, text: str, found: list[dict[str, Any]]) -> None:
        """Output a finding. If all nodes share one terminal, only the first node prints it."""
        is_first = not self._settings.launched or is_to_be_printed(
            self._settings.report, text, found
        )
        block = Block(text, found)
        printed = is_first and self._print(block)
        self._node.blocks.append(block._replace(printed=printed))
        if not self._save() and not printed and self._print(block):
            # The block was not saved, so no other node knows these ranks: print it here. The block
            # counts as printed, also if a launcher learns of it later.
            self._node.blocks[-1] = block

    def hangs(self) -> None:
        """Set a flag for the launcher, which is on another node."""
        run_flags.say(self._settings.report, run_flags.HANGS)

    def _output_total(self, total: Total) -> None:
        # Save the total, and print it unless a launcher prints the total of all nodes.
        if self._settings.launched:
            self._take_back(unread(sys.stderr.fileno()))
        self._node = self._node._replace(ended=True, total=total)
        if not self._save() or not self._settings.launched:
            super()._output_total(total)

    def failed(self, sentence: str) -> None:
        """Report that the watcher cannot continue."""
        super().failed(sentence)
        failures = (f"node {self._node.name}: {sentence}",)
        total = counted(self._node.blocks)._replace(failures=failures)
        self._node = self._node._replace(ended=True, total=total)
        self._save()

    def _take_back(self, count: int) -> None:
        # Mark the last blocks as not printed: `count` bytes of them are in a pipe without a reader.
        for number in reversed(range(len(self._node.blocks))):
            one = self._node.blocks[number]
            if count > 0 and one.printed:
                self._node.blocks[number] = one._replace(printed=False)
                count -= len(one.shown().encode())

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
    """The number of bytes in a pipe that remain unread because its reader has ended.

    A launcher that still runs gets some time to read them, and is taken to read the rest later.
    """
    asked = select.poll()
    asked.register(stream, 0)  # 0 selects only POLLERR
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
