# SPDX-License-Identifier: MIT
"""The calls of a channel that are over, or have at least begun, by ordinal."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mpipp.model.calls import Call


class Kept:
    """A call as it is kept: made when it is asked for, of what may be a million."""

    __slots__ = ("_call", "_make", "_words")

    def __init__(self, words: tuple[int, ...], make: Callable[[tuple[int, ...]], Call]) -> None:
        self._words = words
        self._make = make
        self._call: Call | None = None

    @classmethod
    def of(cls, call: Call) -> Kept:
        """One that goes on."""
        return cls((-1, 0, call.serial, call.frame), lambda _: call)

    @property
    def words(self) -> tuple[int, ...]:
        """The same for calls of a process that differ by their channels alone."""
        return self._words

    @property
    def key(self) -> tuple[int, ...]:
        """The same for calls of a process that differ by their places, peers and tags alone."""
        return self._words[:1] + self._words[2:]

    @property
    def call(self) -> Call:
        """Raises MpippError when it makes no sense."""
        if self._call is None:
            self._call = self._make(self._words)
        return self._call


class Stretch(NamedTuple):
    """Calls of `count` ordinals from `first`: the one of `first + i` is `calls[i % len(calls)]`."""

    first: int
    count: int  # type: ignore[assignment]  # in place of tuple's own
    calls: tuple[Kept, ...]

    @property
    def end(self) -> int:
        """The ordinal after the last."""
        return self.first + self.count

    def at(self, ordinal: int) -> Kept:
        """The call with an ordinal that is in it."""
        return self.calls[(ordinal - self.first) % len(self.calls)]

    def part(self, first: int, end: int) -> Stretch:
        """The ordinals from `first` up to `end`, which are in it."""
        turn = (first - self.first) % len(self.calls)
        return Stretch(first, end - first, (self.calls[turn:] + self.calls[:turn])[: end - first])
