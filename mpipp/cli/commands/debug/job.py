# SPDX-License-Identifier: MIT
"""One debugged job: its launcher, its ranks, their output and input."""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mpipp.cli.commands.debug import launcher
from mpipp.cli.commands.debug.held_ranks import HeldRank, HeldRanks
from mpipp.cli.commands.debug.output_lines import LineReader

_MOST = 1 << 16


class Events(NamedTuple):
    """The functions that a job calls.

    Attributes:
        held: a rank waits for the debugger.
        output: ranks, or the launcher, have written lines.
        ended: the launcher has ended, with this exit status.
    """

    held: Callable[[HeldRank], None]
    output: Callable[[Sequence[str]], None]
    ended: Callable[[int], None]


class Start(NamedTuple):
    """The start of a job.

    Attributes:
        command: the launcher's words, with the program's.
        variables: additions to the environment.
        directory: the working directory; None: this process's.
    """

    command: Sequence[str]
    variables: Mapping[str, str]
    directory: str | None = None


class Job:
    """A job that can be started again.

    Args:
        path: of the socket at which ranks wait.
        start: how the launcher is started.
        stdin_rank: the rank that reads what the user types.
        selector: calls the `data` of a file that can be read.
    """

    def __init__(
        self,
        path: str,
        start: Start,
        stdin_rank: int,
        selector: selectors.DefaultSelector,
        events: Events,
    ) -> None:
        self._start, self._stdin_rank = start, stdin_rank
        self._selector, self._events = selector, events
        self._ranks = HeldRanks(path)
        self._launcher: subprocess.Popen[bytes] | None = None
        self._readers: dict[int, LineReader] = {}  # by file descriptor
        self._input = -1
        self._is_ending = False  # hide the launcher's output about an end that the user requested
        self.debugger = 0  # the process that may attach
        self.is_detached = False  # the debugger has let it go
        self._register(self._ranks.listener.fileno(), self._accept)

    def start(self) -> None:
        """Start the launcher. Raises MpippError."""
        self.is_detached = self._is_ending = False
        self._launcher = launcher.start(*self._start)
        assert self._launcher.stdout is not None
        self._read(os.dup(self._launcher.stdout.fileno()), "launcher")
        self._launcher.stdout.close()

    def release(self) -> None:
        """Let the ranks that wait begin."""
        self._ranks.release()

    def end(self) -> None:
        """End all processes."""
        self._is_ending = True
        self._ranks.kill()
        if self._launcher is not None:
            launcher.end(self._launcher, self._drain)
            self._launcher = None
        for reader in list(self._readers.values()):
            self._close(reader)
        self.end_input()

    def pass_input(self, line: str) -> None:
        """Pass a line to the rank that reads the input."""
        if self._input >= 0:
            with contextlib.suppress(OSError):
                os.write(self._input, line.encode() + b"\n")

    def end_input(self) -> None:
        """End the input."""
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    @property
    def is_running(self) -> bool:
        """Return whether the launcher runs, or ranks may still write."""
        runs = self._launcher is not None and self._launcher.poll() is None
        return runs or bool(self._readers)

    @property
    def status(self) -> int:
        """The exit status of the launcher."""
        status = self._launcher.returncode if self._launcher is not None else 0
        return status if status >= 0 else 128 - status

    def look(self) -> None:
        """Report lines that have had no end for a while, and the end of the job."""
        for reader in self._readers.values():
            self._show(reader.rest())
        if self._launcher is None or self.is_running:
            return
        status = self.status
        if not self.is_detached:
            self._launcher = None
        self._events.ended(status)

    def _register(self, descriptor: int, action: Callable[[], None]) -> None:
        self._selector.register(descriptor, selectors.EVENT_READ, action)

    def _accept(self) -> None:
        held = self._ranks.accept(self.debugger, self._stdin_rank)
        if held is None:
            return
        self._read(held.output, f"rank {held.rank}" if held.rank >= 0 else f"process {held.pid}")
        if held.input >= 0:
            self._input = held.input
        self._events.held(held)

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

    def _drain(self) -> None:
        for reader in list(self._readers.values()):
            os.set_blocking(reader.descriptor, False)
            with contextlib.suppress(OSError):
                os.read(reader.descriptor, _MOST)

    def _show(self, lines: Sequence[str]) -> None:
        if lines and not self._is_ending:
            self._events.output(lines)


def listen(selector: selectors.DefaultSelector, seconds: float) -> None:
    """Wait for files that can be read, and call their actions."""
    for key, _ in selector.select(seconds):
        if key.fd in selector.get_map():  # the action before may have closed the file
            key.data()
