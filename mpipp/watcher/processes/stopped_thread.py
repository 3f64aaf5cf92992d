# SPDX-License-Identifier: MIT
"""The registers of a thread of a process that is about to be ended, by ptrace (x86-64).

Nothing else that mpipp does stops a process: a call of the system may return early after it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import time
from collections.abc import Iterator

from mpipp.symbolizer.stack_unwinder import Registers

_SEIZE, _INTERRUPT, _GETREGS, _DETACH = 0x4206, 0x4207, 12, 17
_ALL = 0x40000000  # __WALL: threads, too
_REGISTERS = struct.Struct("=27Q")  # struct user_regs_struct
_RBP, _RIP, _RSP = 4, 16, 19
_PATIENCE = 1.0  # seconds until it has stopped
_STEP = 0.002


@contextlib.contextmanager
def registers(pid: int, tid: int) -> Iterator[Registers | None]:
    """Stop a thread of a process meanwhile; None if there is no such thread, the system does not
    allow it, or on another processor."""
    # Its number comes from the process's memory, and must not lead to another process.
    is_there = os.path.exists(f"/proc/{pid}/task/{tid}")
    if not is_there or platform.machine() != "x86_64" or not _ptrace(_SEIZE, tid):
        yield None
        return
    try:
        _ptrace(_INTERRUPT, tid)
        yield _read(tid) if _has_stopped(tid) else None
    finally:
        _ptrace(_DETACH, tid)


def _has_stopped(tid: int) -> bool:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        try:
            found, status = os.waitpid(tid, _ALL | os.WNOHANG)
        except ChildProcessError:
            return False
        if found:
            return os.WIFSTOPPED(status)
        time.sleep(_STEP)
    return False


def _read(tid: int) -> Registers | None:
    data = ctypes.create_string_buffer(_REGISTERS.size)
    if not _ptrace(_GETREGS, tid, ctypes.addressof(data)):
        return None
    values = _REGISTERS.unpack(data.raw)
    return Registers(values[_RIP], values[_RSP], values[_RBP])


def _ptrace(request: int, tid: int, data: int = 0) -> bool:
    call = ctypes.CDLL(None, use_errno=True).ptrace
    call.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    call.restype = ctypes.c_long
    return int(call(request, tid, None, data or None)) == 0
