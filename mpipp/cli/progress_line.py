# SPDX-License-Identifier: MIT
"""A line on a terminal that explains a slow end of a run; it disappears at the end."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

COMPARING = "mpipp: comparing what all processes have left"
_LONG = 2.0  # seconds before anything is said


class Progress:
    """Says nothing if it is quiet, the stream is no terminal, or rich is not installed."""

    def __init__(self, stream: TextIO, quiet: bool, long: float = _LONG) -> None:
        self._stream = stream
        self._is_silent = quiet or not stream.isatty()
        self._long = long
        self._what = ""
        self._begun = 0.0
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._bar: Bar | None = None

    def begin(self, what: str) -> None:
        """Something begins that may take long: "mpipp: looking at 64 processes"."""
        self.end()
        if self._is_silent:
            return
        self._what, self._begun = what, time.monotonic()
        self._wait()

    def _wait(self) -> None:
        self._timer = threading.Timer(self._long, self._show)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # there may be no more threads
            self._timer = None

    def clear(self) -> None:
        """Clear the line for another one's output; it is shown again after a while."""
        if self._timer is not None:
            self.end()
            self._wait()

    def end(self) -> None:
        """Remove the line."""
        with self._lock:
            timer, self._timer = self._timer, None
            bar, self._bar = self._bar, None
        if timer is not None:
            timer.cancel()
        if bar is not None:
            with contextlib.suppress(RuntimeError):  # its thread did not start
                bar.stop()

    @contextlib.contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Shown beside what is done meanwhile, which writes nothing there."""
        self.begin(what)
        try:
            yield
        finally:
            self.end()

    def _show(self) -> None:
        # On the timer's thread. Loading takes a while; most runs' ends are shorter than that.
        try:
            from rich.console import Console
            from rich.progress import Progress as Bar
            from rich.progress import SpinnerColumn, TimeElapsedColumn
        except ImportError:
            return
        columns = SpinnerColumn("line"), "{task.description}", TimeElapsedColumn()
        console = Console(file=self._stream)
        if not console.is_interactive:
            return
        with self._lock:
            if self._timer is not threading.current_thread():
                return  # the end came first
            made = Bar(
                *columns,
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            task = made.add_task(self._what, total=None)
            made.tasks[task].start_time = made.get_time() - (time.monotonic() - self._begun)
            with contextlib.suppress(RuntimeError):  # without one more thread it stands still
                made.start()
            self._bar = made
