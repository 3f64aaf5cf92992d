# SPDX-License-Identifier: MIT
"""Progress of a build on stderr: one changing line on a terminal, else two lines."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

from mpipp.common.text.sanitize import plain

# Seconds of processor time to compile a million bytes of source, on a usual machine.
_PER_MILLION_BYTES = 10.0
_STEP = 5  # seconds; the first estimate is rounded up to a multiple
_LATER = 0.05  # share of the build; earlier estimates of the remaining time are too uncertain
_CLEAR = "\r\033[K"


class BuildProgress:
    """Shows the progress of a build, with an estimate of the remaining time.

    Args:
        what: the name of the build: "the wrapper for MPICH 4.0".
        stream: the stream to write to; None for stderr.
        clock: returns seconds.
        silent: seconds before the first output. With 0, output appears at once, and also in
            pipes and files; with more, only on a terminal.
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
        """Announce the build of `size` bytes of source."""
        seconds = size * _PER_MILLION_BYTES / 1e6 / max(processors, 1)
        about = max(math.ceil(seconds / _STEP), 1) * _STEP
        self._begun = self._clock()
        self._show(f"building {self._what} (about {about} s, once) ...")

    def done(self, files: int, of: int, share: float) -> None:
        """Show that `files` of `of` files are compiled; `share` is the part of the work, from 0 to
        1."""
        if not self._changes:
            return
        elapsed = self._clock() - self._begun
        rest = ""
        if share >= _LATER:
            rest = f", about {math.ceil(elapsed * (1 - share) / share)} s left"
        self._show(f"building {self._what}: {files} of {of} files{rest}")

    def end(self, has_built: bool) -> None:
        """Report the end of a build, if its start was announced."""
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
