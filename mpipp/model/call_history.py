# SPDX-License-Identifier: MIT
"""The history of a channel: its calls, by ordinal."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

from mpipp.model.calls import Call


class KeptCall:
    """A call in a history, decoded on first use because a history may have a million calls.

    Attributes:
        words: equal for calls of one process that differ at most in the channel.
        key: equal for calls of one process that differ at most in place, peer and tag.
    """

    __slots__ = ("_call", "_make", "key", "words")

    def __init__(self, words: Any, key: Hashable, make: Callable[[Any], Call]) -> None:
        self.words = words
        self.key = key
        self._make = make  # makes a call from the words
        self._call: Call | None = None

    @classmethod
    def of(cls, call: Call) -> KeptCall:
        """Return a kept call for an active call."""
        words = call.serial, call.frame
        return cls(words, words, lambda _: call)

    @property
    def call(self) -> Call:
        """The decoded call. Raises MpippError if its words are invalid."""
        if self._call is None:
            self._call = self._make(self.words)
        return self._call


class Stretch(NamedTuple):
    """The calls of `count` ordinals: ordinal `first + i` has `calls[i % len(calls)]`."""

    first: int
    count: int  # type: ignore[assignment]  # hides tuple.count
    calls: tuple[KeptCall, ...]

    @property
    def end(self) -> int:
        """The ordinal behind the last one."""
        return self.first + self.count

    def at(self, ordinal: int) -> KeptCall:
        """Return the call of an ordinal in this stretch."""
        return self.calls[(ordinal - self.first) % len(self.calls)]

    def part(self, first: int, end: int) -> Stretch:
        """Return the part with the ordinals from `first` up to `end`, excluding `end`."""
        turn = (first - self.first) % len(self.calls)
        calls = (self.calls[turn:] + self.calls[:turn])[: end - first]
        return self._replace(first=first, count=end - first, calls=calls)

    @property
    def written_out(self) -> bool:
        """Return whether nothing is repeated: `calls` has a call for each ordinal."""
        return self.count == 1


class Singles(Stretch):
    """A stretch without repetition: it has as many calls as ordinals."""

    __slots__ = ()

    @property
    def written_out(self) -> bool:
        return True


class Outline(Protocol):
    """A whole history as stored: a list of items (calls and runs), perhaps a million.

    If two histories have equal numbers at equal indices, these items describe the same ordinals.
    """

    @property
    def heads(self) -> Sequence[bytes]:
        """For each item, the call without its count; b"" for a run."""
        ...

    @property
    def numbers(self) -> Sequence[bytes]:
        """For each item the count as a little-endian word; for a run its period and length."""
        ...

    @property
    def period(self) -> int:
        """The period of a run behind the last item; 0 if there is none."""
        ...

    def call(self, head: bytes, count: int) -> Call:
        """Return the call with this head and count."""
        ...
