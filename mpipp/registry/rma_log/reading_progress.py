# SPDX-License-Identifier: MIT
"""The progress of the analysis of RMA logs, by the words that it has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class ReadingProgress:
    """The progress of reading all logs; `show` is called with each new percentage."""

    def __init__(self) -> None:
        self.show: Callable[[int], None] | None = None
        self._words = 0
        self._read = 0
        self._shown = 0

    def begin(self) -> None:
        """Begin an analysis."""
        self._words = self._read = self._shown = 0

    def expect(self, words: int) -> None:
        """Note that this number of words will be read."""
        self._words += words

    def add(self, words: int) -> None:
        """Note that this number of words was read."""
        self._read += words
        percent = 100 * self._read // max(self._words, 1)
        if self.show is not None and percent > self._shown:
            self._shown = percent
            self.show(min(percent, 100))


PROGRESS = ReadingProgress()
