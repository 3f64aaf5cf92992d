# SPDX-License-Identifier: MIT
"""Progress of a build on the error stream: a line that changes on a terminal, else two lines."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

from mpipp.common.text.sanitize import plain

# Seconds of processor time that compiling a million bytes of source takes, on a usual machine.
_PER_MILLION_BYTES = 10.0
_STEP = 5  # seconds, to which the first estimate is rounded up
_LATER = 0.05  # of the work: an earlier estimate of the rest is too uncertain
_CLEAR = "\r\033[K"


class BuildProgress:
    """Shows how much of a build is done, and an estimate of the remaining time.

    Args:
        what: what is built: "the wrapper for MPICH 4.0".
        stream: where it is shown; None: the error stream.
        clock: returns seconds.
        silent: seconds in which nothing is shown. With them only a terminal shows anything.
    """

    def __init__(
        self,
        what: str,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        silent: float = 0.0,
    ) -> None:
        self._what = what
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._changes = self._stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._begun = clock()
        self._is_open = False
        self._silent = silent
        self._is_shown = False

    def begin(self, size: int, processors: int) -> None:
        """Announce the build of sources of `size` bytes."""
        seconds = size * _PER_MILLION_BYTES / 1e6 / max(processors, 1)
        about = max(math.ceil(seconds / _STEP), 1) * _STEP
        self._begun = self._clock()
        self._show(f"building {self._what} (about {about} s, once) ...")

    def done(self, files: int, of: int, share: float) -> None:
        """So many files are compiled, which are a share of the work from 0 to 1."""
        if not self._changes:
            return
        elapsed = self._clock() - self._begun
        rest = ""
        if share >= _LATER:
            rest = f", about {math.ceil(elapsed * (1 - share) / share)} s left"
        self._show(f"building {self._what}: {files} of {of} files{rest}")

    def end(self, has_built: bool) -> None:
        """Report the end of a build that has begun."""
        if self._is_open:
            self._stream.write(_CLEAR)
            self._is_open = False
        if has_built and (self._is_shown or not self._silent):
            seconds = self._clock() - self._begun
            self._stream.write(plain(f"mpipp: built {self._what} in {seconds:.1f} s\n"))
        self._stream.flush()

    def _show(self, text: str) -> None:
        if self._clock() - self._begun < self._silent:
            return
        self._is_shown = True
        begin, end = (_CLEAR, "") if self._changes else ("", "\n")
        self._stream.write(f"{begin}{plain(f'mpipp: {text}', '')}{end}")
        self._is_open = self._changes
        self._stream.flush()
