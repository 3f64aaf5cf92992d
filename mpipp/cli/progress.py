# SPDX-License-Identifier: MIT
"""A line on a terminal that says why the end of a run takes long; it goes when that is over."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO

COMPARING = "mpipp: comparing what all processes have left"
_LONG = 2.0  # seconds before anything is said
_TICK = 0.1


class Progress:
    """Says nothing if it is quiet, or the stream is no terminal."""

    def __init__(
        self, stream: TextIO, quiet: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._is_silent = quiet or not stream.isatty()
        self._clock = clock
        self._begun: float | None = None
        self._what = ""
        self._shown = ""

    def begin(self, what: str) -> None:
        """Something begins that may take long: "mpipp: looking at 64 processes"."""
        self._begun, self._what = self._clock(), what

    def tick(self) -> None:
        """Called several times a second."""
        if self._begun is None or self._is_silent:
            return
        seconds = int(self._clock() - self._begun)
        line = f"{self._what} ({seconds} s)"
        if seconds >= _LONG and line != self._shown:
            self._stream.write(f"\r{line}")
            self._stream.flush()
            self._shown = line

    def clear(self) -> None:
        """Make room for a line of another's; the next tick shows it again."""
        if self._shown:
            self._stream.write("\r" + " " * len(self._shown) + "\r")
            self._stream.flush()
            self._shown = ""

    def end(self) -> None:
        """It is over."""
        self.clear()
        self._begun = None

    @contextlib.contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Shown beside what is done meanwhile, which writes nothing there."""
        if self._is_silent:
            yield
            return
        over = threading.Event()

        def show() -> None:
            while not over.wait(_TICK):
                self.tick()

        self.begin(what)
        shows = threading.Thread(target=show, daemon=True)
        shows.start()
        try:
            yield
        finally:
            over.set()
            shows.join()
            self.end()
