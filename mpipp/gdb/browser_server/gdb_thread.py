# SPDX-License-Identifier: MIT
"""Work for gdb's own thread, and a gdb that may end before it has done that."""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Callable

import gdb

_queued: deque[Callable[[], None]] = deque()


def post(action: Callable[[], None]) -> None:
    """Have `action()` run on gdb's thread as soon as that waits for the user; from any thread."""
    _queued.append(action)
    gdb.post_event(_run)


def _run() -> None:
    _queued.popleft()()


@atexit.register
def _leave_the_rest() -> None:
    # gdb releases queued functions when it ends, after its Python has ended, and crashes. C calls
    # the last registered function first, with the exit status: the system handles the rest.
    if not _queued:
        return
    try:
        import ctypes

        c = ctypes.CDLL(None)
        c.fflush(None)
        c.on_exit(c._exit, None)
    except (ImportError, AttributeError):  # a Python without, or another C library
        pass
