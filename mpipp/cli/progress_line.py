# SPDX-License-Identifier: MIT
"""A line on the terminal that explains a slow end of a run, and disappears at the end."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

COMPARING = "mpipp: comparing the records of all processes"
_LONG = 2.0  # seconds before the line appears


class Progress:
    """A progress line. The line is not shown if quiet, without a terminal, or if rich is not
    installed."""

    def __init__(self, stream: TextIO, quiet: bool, long: float = _LONG) -> None:
        self._stream = stream
        self._is_silent = quiet or not stream.isatty()
        self._long = long
        self._what = ""
        self._percent = 0  # 0: the share of the step is unknown
        self._begun = 0.0
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._bar: Bar | None = None

    def begin(self, what: str) -> None:
        """Announce a step that may be slow: "mpipp: checking the records of 64 processes"."""
        self.end()
        if self._is_silent:
            return
        self._what, self._percent, self._begun = what, 0, time.monotonic()
        self._wait()

    def advance(self, percent: int) -> None:
        """Show how much of the step is done."""
        with self._lock:
            self._percent = percent
            if self._bar is not None:
                for task in self._bar.task_ids:
                    self._bar.update(task, description=self._text())

    def _text(self) -> str:
        return f"{self._what}: {self._percent} %" if self._percent else self._what

    def _wait(self) -> None:
        self._timer = threading.Timer(self._long, self._show)
        self._timer.daemon = True
        try:
            self._timer.start()
        except RuntimeError:  # the system may allow no more threads
            self._timer = None

    def clear(self) -> None:
        """Remove the line before other output. The line appears again after a while."""
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
            with contextlib.suppress(RuntimeError):  # the thread that draws it was not started
                bar.stop()

    @contextlib.contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Show the line during a context that writes nothing to the terminal."""
        self.begin(what)
        try:
            yield
        finally:
            self.end()

    def _show(self) -> None:
        # Runs on the timer's thread. Most runs end before the timer, so they never load rich.
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
                return  # `end` was called first
            made = Bar(
                *columns,
                console=console,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            task = made.add_task(self._text(), total=None)
            made.tasks[task].start_time = made.get_time() - (time.monotonic() - self._begun)
            # Without a further thread the line does not move.
            with contextlib.suppress(RuntimeError):
                made.start()
            self._bar = made
