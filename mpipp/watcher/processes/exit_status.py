# SPDX-License-Identifier: MIT
"""The exit status of a process that is not a child.

The kernel gives it to any process with a descriptor of the process (pidfd), since Linux 6.15.
Before that only /proc has it, until the parent has waited for the process: launchers do so at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
from typing import NamedTuple

from mpipp.watcher.processes.liveness import fields, goes_on

# struct pidfd_info of linux/pidfd.h: mask, cgroup, eleven numbers, the status.
_INFO = struct.Struct("=QQ11Ii")
_GET_INFO = 0xC0000000 | _INFO.size << 16 | 0xFF << 8 | 11
_EXIT = 8  # PIDFD_INFO_EXIT
_SO_PEERPIDFD = 77  # since Linux 6.5
_STATUS = 49  # index in /proc/PID/stat, after the process's name

# Signals by which a launcher ends the other processes, once one has died.
_OF_LAUNCHERS = {signal.SIGTERM, signal.SIGKILL}


class Ending(NamedTuple):
    """The end of a process: by a signal, or with an exit status."""

    signal: int  # 0: no signal
    code: int

    @classmethod
    def of(cls, status: int) -> Ending:
        """The ending that a wait status encodes."""
        return cls(status & 0x7F, status >> 8 & 0xFF)

    @property
    def may_be_launchers(self) -> bool:
        """Return whether it is a signal that a launcher sends to the rest of a job."""
        return self.signal in _OF_LAUNCHERS

    def __str__(self) -> str:
        """ "by SIGSEGV", "with exit status 3"."""
        if not self.signal:
            return f"with exit status {self.code}"
        with contextlib.suppress(ValueError):
            return f"by {signal.Signals(self.signal).name}"
        return f"by signal {self.signal}"


class Exit:
    """The end of the process that has connected, which may be long gone."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self._pid = pid
        self._known: Ending | None = None
        self._file = _peer(connection, pid)

    @property
    def has_exited(self) -> bool:
        """Return whether it has ended, also if the system does not say how."""
        if self._file < 0:
            return not goes_on(self._pid)
        ready = select.poll()
        ready.register(self._file, select.POLLIN)
        return bool(ready.poll(0))

    def ending(self, patience: float = 0.0) -> Ending | None:
        """The ending; None if the process has not ended, or the system does not say.

        Args:
            patience: seconds to wait for a process that is about to end.
        """
        if self._known is None and self._file >= 0:
            ready = select.poll()
            ready.register(self._file, select.POLLIN)
            if ready.poll(1000 * patience):
                status = _of_reaped(self._file)
                if status is None:
                    status = self._of_zombie()
                self._known = None if status is None else Ending.of(status)
        return self._known

    def _of_zombie(self) -> int | None:
        # The number may by now belong to another process, unless it still belongs to this one
        # afterwards.
        words = fields(self._pid)
        with contextlib.suppress(OSError, ValueError, IndexError):
            if words[0] == "Z":
                status = int(words[_STATUS])
                signal.pidfd_send_signal(self._file, 0)
                return status
        return _of_reaped(self._file)

    def close(self) -> None:
        """Close the descriptor."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def _peer(connection: socket.socket, pid: int) -> int:
    # A descriptor of the process, or -1. Older systems have one only for running processes.
    with contextlib.suppress(OSError):
        return connection.getsockopt(socket.SOL_SOCKET, _SO_PEERPIDFD)
    with contextlib.suppress(OSError, AttributeError):
        return os.pidfd_open(pid)
    return -1


def _of_reaped(file: int) -> int | None:
    said = bytearray(_INFO.pack(_EXIT, *[0] * 13))
    try:
        fcntl.ioctl(file, _GET_INFO, said)
    except OSError:
        return None
    mask, *_, status = _INFO.unpack(said)
    return status if mask & _EXIT else None
