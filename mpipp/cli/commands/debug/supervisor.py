# SPDX-License-Identifier: MIT
"""Runs gdb on this terminal and the launcher side by side."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Sequence

from mpipp.cli.commands.debug.gdb_link import GdbLink
from mpipp.cli.commands.debug.held_ranks import HeldRank
from mpipp.cli.commands.debug.job import Events, Job, Start, listen
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain

DEBUGGER, RANKS = "debugger", "ranks"  # sockets in the run's directory
_STEP = 0.1  # seconds between searches for processes that have ended


class Supervisor:
    """A run of `mpipp debug`: gdb, the launcher, and the ranks."""

    def __init__(self, directory: str, start: Start, stdin_rank: int) -> None:
        self._selector = selectors.DefaultSelector()
        events = Events(
            self._held, self._show, lambda status: self._link.send(ended=status), self._fail
        )
        path = os.path.join(directory, RANKS)
        self._job = Job(path, start, stdin_rank, self._selector, events)
        self._link = GdbLink(os.path.join(directory, DEBUGGER), self._job, self._selector)

    def run(self, words: Sequence[str]) -> int:
        """Start gdb on this terminal; returns its exit status.

        Raises MpippError.
        """
        # The terminal sends these signals to gdb as well, which handles them.
        for number in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))
        gdb = None
        try:
            gdb = _started(words)
            self._job.debugger = gdb.pid
            while gdb.poll() is None:
                self._listen()
            if not self._job.is_detached:
                return gdb.returncode if gdb.returncode >= 0 else 128 - gdb.returncode
            # The user has detached the job: its output now goes to this terminal.
            while self._job.is_running:
                self._listen()
            return self._job.status
        finally:
            self._job.end()
            if gdb is not None and gdb.poll() is None:
                gdb.kill()
                gdb.wait()

    def _listen(self) -> None:
        listen(self._selector, _STEP)
        self._job.look()

    def _held(self, rank: HeldRank) -> None:
        self._link.send(held=rank.message)

    def _fail(self, sentence: str) -> None:
        self._link.send(failed=sentence)

    def _show(self, lines: Sequence[str]) -> None:
        if self._link.is_connected and not self._job.is_detached:
            self._link.send(output=lines)
            return
        # A gdb that is about to end would lose these lines.
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
