# SPDX-License-Identifier: MIT
"""The completed or started calls of a channel, by ordinal."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

from mpipp.model.calls import Call


class KeptCall:
    """A call in a history. It is made when it is first used, since a history may have a million.

    Attributes:
        words: the same for calls of a process that differ by their channels alone.
        key: the same for calls of a process that differ by their places, peers and tags alone.
    """

    __slots__ = ("_call", "_make", "key", "words")

    def __init__(self, words: Any, key: Hashable, make: Callable[[Any], Call]) -> None:
        self.words = words
        self.key = key
        self._make = make  # of the words
        self._call: Call | None = None

    @classmethod
    def of(cls, call: Call) -> KeptCall:
        """A kept call from an active call."""
        words = call.serial, call.frame
        return cls(words, words, lambda _: call)

    @property
    def call(self) -> Call:
        """Raises MpippError when it makes no sense."""
        if self._call is None:
            self._call = self._make(self.words)
        return self._call


class Stretch(NamedTuple):
    """Calls of `count` ordinals from `first`: the one of `first + i` is `calls[i % len(calls)]`."""

    first: int
    count: int  # type: ignore[assignment]  # in place of tuple's own
    calls: tuple[KeptCall, ...]

    @property
    def end(self) -> int:
        """The ordinal after the last."""
        return self.first + self.count

    def at(self, ordinal: int) -> KeptCall:
        """The call with an ordinal that is in it."""
        return self.calls[(ordinal - self.first) % len(self.calls)]

    def part(self, first: int, end: int) -> Stretch:
        """The ordinals from `first` up to `end`, which are in it."""
        turn = (first - self.first) % len(self.calls)
        calls = (self.calls[turn:] + self.calls[:turn])[: end - first]
        return self._replace(first=first, count=end - first, calls=calls)

    @property
    def written_out(self) -> bool:
        """Return whether each call is kept for itself."""
        return self.count == 1


class Singles(Stretch):
    """Calls that are no run: as many as ordinals."""

    __slots__ = ()

    @property
    def written_out(self) -> bool:
        return True


class Outline(Protocol):
    """All of a history in the form in which it is kept: items, of which there may be a million.

    Items with the same numbers at the same places say the same of the same ordinals.
    """

    @property
    def heads(self) -> Sequence[bytes]:
        """For each item, the call without its count; b"" for a run."""
        ...

    @property
    def numbers(self) -> Sequence[bytes]:
        """For each item the count, as a little-endian word; for a run its period and length."""
        ...

    @property
    def period(self) -> int:
        """That of a run which follows the items; 0 if nothing does."""
        ...

    def call(self, head: bytes, count: int) -> Call:
        """The call with that head."""
        ...
