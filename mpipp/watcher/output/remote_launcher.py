# SPDX-License-Identifier: MIT
"""Send a watcher's findings to `mpipp run` on another node, if the nodes share no directory.

The watcher then uses a directory of its own as the run's directory, and sends its files at the end.
"""

from __future__ import annotations

import base64
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from mpipp.common.run_directory import LOGS, PROCESSES, TOKEN, RunDirectory, paths, read
from mpipp.watcher.ipc import launch
from mpipp.watcher.ipc.stderr_messages import CONTENT, FILE, MOST_FILE, Sender
from mpipp.watcher.output.channel import ToAnyLauncher
from mpipp.watcher.output.totals import NOTHING, Total
from mpipp.watcher.settings import Settings

_OWN = "run"  # name of the watcher's directory, in the directory of its socket


def shares_directory(settings: Settings) -> bool:
    """Return whether this node shares the run's directory with `mpipp run`."""
    try:
        return read(os.path.join(settings.report, TOKEN)).decode() == settings.token
    except (OSError, ValueError):
        return False


class ToRemoteLauncher(ToAnyLauncher):
    """Sends findings through the error output of the node's first process."""

    has_launcher = False

    def __init__(self, directory: str, settings: Settings) -> None:
        node = f"{launch.node()}-{os.getpid()}"
        self._sender = Sender(sys.stderr.fileno(), settings.token, node)
        self._handled: set[str] = set()  # the names of files that were sent, or could not be
        self._lost: list[str] = []  # a sentence for each file that could not be sent
        self._run = RunDirectory(os.path.join(directory, _OWN))
        with contextlib.suppress(OSError):
            self._run.publish(f"{PROCESSES}/.none", b"")
        self._send({"begins": launch.node()})

    @property
    def directory(self) -> str:
        """The directory that replaces the run's directory on this node."""
        return self._run.path

    def show_progress(self, processes: int) -> None:
        """Show nothing: the launcher shows the progress of its own node."""

    def show_percent(self, percent: int) -> None:
        """Show nothing: the launcher shows the progress of its own node."""

    def dies(self, sentence: str) -> None:
        """Send the sentence: the job's launcher may end before the watcher's report."""
        self._send({"dies": sentence})

    def total_so_far(self, total: Total) -> None:
        """Send the files for the comparison of nodes, and then the total."""
        super().total_so_far(self._with_files(total))

    def total(self, total: Total) -> None:
        """Send the remaining files for the comparison of nodes, and then the total."""
        super().total(self._with_files(total))

    def close(self) -> None:
        """Remove the watcher's directory."""
        with contextlib.suppress(OSError):
            self._run.discard()

    def fileno(self) -> int:
        """Return -1: the launcher sends nothing to this node."""
        return -1

    def receive(self) -> bytes:
        """Receive nothing: the launcher sends nothing to this node."""
        return b""

    def _with_files(self, total: Total) -> Total:
        self._lost += self._send_files()
        return total.plus(NOTHING._replace(failures=tuple(self._lost)))

    def _send_files(self) -> Iterator[str]:
        # Yields a sentence for each file that was not sent.
        for folder in (PROCESSES, LOGS):
            for path in paths(os.path.join(self.directory, folder)):
                name = f"{folder}/{os.path.basename(path)}"
                if name in self._handled:
                    continue
                self._handled.add(name)
                try:
                    content = read(path, MOST_FILE)
                except OSError as error:
                    rank = os.path.basename(path).partition("-")[0]
                    what = "the RMA log" if folder == LOGS else "the record of calls"
                    yield (
                        f"{what} of rank {rank} could not be sent to mpipp run "
                        f"({error.strerror}): name a directory with --report that all nodes share"
                    )
                    continue
                self._send({FILE: name, CONTENT: base64.b64encode(content).decode()})

    def _send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # the launcher was killed
            self._sender.send(message)
