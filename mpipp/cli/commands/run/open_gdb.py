# SPDX-License-Identifier: MIT
"""gdb on processes that a watched run has stopped in a call, on the run's own terminal."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mpipp.cli.commands.attach import attaching
from mpipp.common.errors import MpippError
from mpipp.common.text.sanitize import plain
from mpipp.toolchain import running_jobs
from mpipp.toolchain.gdb_command import debugger

_TERMINAL = "/dev/tty"


class GdbOpener:
    """Opens gdb on each thread that stopped, one after the other.

    Raises MpippError: there is no terminal, or no gdb.
    """

    def __init__(self) -> None:
        debugger()
        try:
            self._terminal = os.open(_TERMINAL, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            raise MpippError(
                "--gdb needs a terminal: use --stop, and attach from a terminal"
            ) from None
        self._opened: Sequence[int] = ()
        self._waiting: list[tuple[Sequence[int], int]] = []

    @property
    def is_open(self) -> bool:
        """Return whether gdb has the terminal."""
        return bool(self._opened)

    def has(self, pid: int) -> bool:
        """Return whether gdb has this process."""
        return pid in self._opened

    def launching(self) -> dict[str, Any]:
        """Options to start the launcher, so that gdb alone gets the typed input and control-C."""
        typed = sys.stdin is not None and sys.stdin.isatty()
        return {"preexec_fn": os.setpgrp, "stdin": subprocess.DEVNULL if typed else None}

    def add(self, pids: Sequence[int], tid: int) -> None:
        """Note that a thread has stopped. The thread belongs to the first of the processes
        `pids`."""
        self._waiting.append((pids, tid))

    def open(self, meanwhile: Callable[[], None]) -> None:
        """Open gdb for all stopped threads. The threads continue when the user leaves gdb."""
        while self._waiting and not self.is_open:
            pids, tid = self._waiting.pop(0)
            obstacle = running_jobs.obstacle(pids[0])
            if obstacle:
                sys.stderr.write(plain(f"mpipp: process {pids[0]} {obstacle}\n"))
            else:
                self._debug([pid for pid in pids if not running_jobs.obstacle(pid)], tid, meanwhile)
            # gdb has shown these stops already.
            self._waiting = [one for one in self._waiting if one[0][0] not in pids]
            for pid in pids:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGCONT)

    def _debug(self, pids: Sequence[int], tid: int, meanwhile: Callable[[], None]) -> None:
        command = [*attaching(pids), "-ex", f"mpipp frame {tid}"]
        self._opened = pids
        try:
            with subprocess.Popen(
                command, stdin=self._terminal, stdout=self._terminal, stderr=self._terminal
            ) as gdb:
                while gdb.poll() is None:
                    meanwhile()
        except OSError as error:
            sys.stderr.write(plain(f"mpipp: cannot start {command[0]}: {error.strerror}\n"))
        finally:
            self._opened = ()
