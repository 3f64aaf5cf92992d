# SPDX-License-Identifier: MIT
"""Control-C while ranks run.

gdb's own handler of SIGINT raises KeyboardInterrupt in the Python code that runs at that moment,
which may be the code that handles a stop. So the signal is blocked then, and a thread waits for it.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable

from mpipp.gdb.browser_server import gdb_thread
from mpipp.gdb.debug_session.link import start_thread

_NUMBERS = frozenset({signal.SIGINT})


class Interrupts:
    """Calls `action()` on gdb's thread for each control-C, while it has taken them from gdb."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action = action
        self._thread: threading.Thread | None = None
        self._is_taken = False

    def take(self) -> None:
        """Take control-C from gdb. Call it on gdb's thread."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _NUMBERS)
        self._is_taken = True
        self._thread = start_thread(self._wait)

    def give_back(self) -> None:
        """Let gdb handle control-C again. Call it on gdb's thread."""
        if self._thread is None or self._thread.ident is None:
            return
        self._is_taken = False
        signal.pthread_kill(self._thread.ident, signal.SIGINT)  # ends its wait
        self._thread.join()
        self._thread = None
        while signal.sigtimedwait(_NUMBERS, 0) is not None:
            pass  # too late: the ranks have stopped
        with contextlib.suppress(KeyboardInterrupt):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _NUMBERS)

    def _wait(self) -> None:
        while True:
            signal.sigwait(_NUMBERS)
            if not self._is_taken:
                return
            gdb_thread.post(self._act)

    def _act(self) -> None:
        if self._is_taken:
            self._action()
