# SPDX-License-Identifier: MIT
"""The registers of a thread, by ptrace (x86-64). The process is about to be ended.

No other part of mpipp stops a process, because a system call may return early after a stop.
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
_ALL = 0x40000000  # __WALL: also wait for threads
_REGISTERS = struct.Struct("=27Q")  # struct user_regs_struct
_RBP, _RIP, _RSP = 4, 16, 19
_PATIENCE = 1.0  # seconds for the thread to stop
_STEP = 0.002


@contextlib.contextmanager
def registers(pid: int, tid: int) -> Iterator[Registers | None]:
    """Stop a thread within this context, and yield its registers.

    Yields None if the thread does not exist, the system forbids it, or the processor is another.
    """
    # The thread id comes from the process's memory, so it must not lead to another process.
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
