# SPDX-License-Identifier: MIT
"""Functions that run on gdb's own thread, and an exit that is safe while some still wait."""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Callable

import gdb

_queued: deque[Callable[[], None]] = deque()


def post(action: Callable[[], None]) -> None:
    """Run `action()` on gdb's thread as soon as gdb waits for the user. Any thread may
    call this."""
    _queued.append(action)
    gdb.post_event(_run)


def _run() -> None:
    _queued.popleft()()


@atexit.register
def _leave_the_rest() -> None:
    # gdb releases queued functions when it ends. By then its Python has ended, so gdb would crash.
    # C calls the last registered exit function first: `_exit` then ends gdb with its exit status.
    if not _queued:
        return
    try:
        import ctypes

        c = ctypes.CDLL(None)
        c.fflush(None)
        c.on_exit(c._exit, None)
    except (ImportError, AttributeError):  # without ctypes, or without on_exit in C
        pass
