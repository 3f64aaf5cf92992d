# SPDX-License-Identifier: MIT
"""The calls of a channel that are over, or have at least begun, by ordinal."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.calls import Call


class Stretch(NamedTuple):
    """Calls of `count` ordinals from `first`: the one of `first + i` is `calls[i % len(calls)]`."""

    first: int
    count: int  # type: ignore[assignment]  # in place of tuple's own
    calls: tuple[Call, ...]

    @property
    def end(self) -> int:
        """The ordinal after the last."""
        return self.first + self.count

    def at(self, ordinal: int) -> Call:
        """The call with an ordinal that is in it."""
        return self.calls[(ordinal - self.first) % len(self.calls)]

    def before(self, ordinal: int) -> Stretch:
        """What comes before an ordinal."""
        return self._replace(count=min(self.count, max(0, ordinal - self.first)))
