# SPDX-License-Identifier: MIT
"""The exit status of a process that is not a child.

Since Linux 6.15, the kernel gives it to any process with a descriptor of the process (pidfd).
In older versions only /proc has the status, until the parent has waited for the process. Launchers
wait for it at once.
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

# Signals by which a launcher ends the other processes after one has died.
_OF_LAUNCHERS = {signal.SIGTERM, signal.SIGKILL}
# Signals that users, batch systems and limits send. A program seldom sends them to itself.
_FROM_OUTSIDE = {*_OF_LAUNCHERS, signal.SIGINT, signal.SIGHUP, signal.SIGXCPU}


class Ending(NamedTuple):
    """The end of a process: by a signal, or with an exit status."""

    signal: int  # 0: no signal
    code: int

    @classmethod
    def of(cls, status: int) -> Ending:
        """The ending for a wait status."""
        return cls(status & 0x7F, status >> 8 & 0xFF)

    @property
    def may_be_launchers(self) -> bool:
        """Return whether the signal may come from a launcher that ends the rest of a job."""
        return self.signal in _OF_LAUNCHERS

    @property
    def is_from_outside(self) -> bool:
        """Return whether other processes or the system usually send this signal."""
        return self.signal in _FROM_OUTSIDE

    def __str__(self) -> str:
        """ "by SIGSEGV", "with exit status 3"."""
        if not self.signal:
            return f"with exit status {self.code}"
        with contextlib.suppress(ValueError):
            return f"by {signal.Signals(self.signal).name}"
        return f"by signal {self.signal}"


class Exit:
    """The end of the process at the other end of a connection. The process may have ended long
    ago."""

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self._pid = pid
        self._known: Ending | None = None
        self._file = _peer(connection, pid)

    @property
    def has_exited(self) -> bool:
        """Return whether the process has ended, in a known way or not."""
        if self._file < 0:
            return not goes_on(self._pid)
        ready = select.poll()
        ready.register(self._file, select.POLLIN)
        return bool(ready.poll(0))

    def ending(self, patience: float = 0.0) -> Ending | None:
        """The ending; None if the process has not ended, or the system does not know how.

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
        # Another process may have the same process id by now. So check after reading /proc that it
        # still belongs to this process.
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
    # A pidfd of the process, or -1. Before Linux 6.5, it exists only for running processes.
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
