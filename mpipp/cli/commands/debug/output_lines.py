# SPDX-License-Identifier: MIT
"""The output of ranks as whole lines, each with its rank in front."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

_MOST = 1 << 16  # bytes of one read, and of one line
_PARTIAL = 0.5  # seconds before a line is shown without its end


class LineReader:
    """A reader of lines from one file descriptor.

    Attributes:
        show: the function that receives the lines.
    """

    def __init__(self, descriptor: int, label: str, show: Callable[[Sequence[str]], None]) -> None:
        self.descriptor = descriptor
        self.label = label
        self.show = show
        self._rest = b""
        self._since = 0.0

    def read(self) -> list[str] | None:
        """The lines that are complete now; None at the end, when `rest` may have more."""
        try:
            data = os.read(self.descriptor, _MOST)
        except OSError:  # the last process that could write to this terminal has ended
            data = b""
        if not data:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._since = time.monotonic()
        if len(self._rest) >= _MOST:
            lines.append(self._rest)
            self._rest = b""
        return [self._text(line) for line in lines]

    def rest(self, is_end: bool = False) -> list[str]:
        """Return an unfinished line at the end of the output, or when nothing has followed it for a
        while."""
        if not self._rest or not (is_end or time.monotonic() - self._since > _PARTIAL):
            return []
        line, self._rest = self._rest, b""
        return [self._text(line)]

    def _text(self, line: bytes) -> str:
        text = line.decode("utf-8", "replace").rstrip("\r")
        return f"{self.label}: {text}"
