# SPDX-License-Identifier: MIT
"""The output of ranks, as whole lines with the rank before each."""

from __future__ import annotations

import os
import time

_MOST = 1 << 16  # bytes that are read at once, and of a line
_PARTIAL = 0.5  # seconds after which the beginning of a line is shown without its end


class LineReader:
    """Reads one file descriptor."""

    def __init__(self, descriptor: int, label: str) -> None:
        self.descriptor = descriptor
        self.label = label
        self._rest = b""
        self._since = 0.0

    def read(self) -> list[str] | None:
        """The lines that have become complete; None at the end, after which `rest` may be more."""
        try:
            data = os.read(self.descriptor, _MOST)
        except OSError:  # of a terminal that nobody writes to any more
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
        """The beginning of a line, if nothing has followed it for a while, or at the end."""
        if not self._rest or not (is_end or time.monotonic() - self._since > _PARTIAL):
            return []
        line, self._rest = self._rest, b""
        return [self._text(line)]

    def _text(self, line: bytes) -> str:
        text = line.decode("utf-8", "replace").rstrip("\r")
        return f"{self.label}: {text}"
