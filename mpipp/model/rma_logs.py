# SPDX-License-Identifier: MIT
"""Logs of one-sided communication: how the checks read their events, and how a process leaves them
for others."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from mpipp.model.rma_events import Event, Memory


@runtime_checkable
class RepeatableEvents(Protocol):
    """The events of a process, in which repetitions can be found and skipped."""

    def __iter__(self) -> Iterator[Event]: ...

    def repetitions(self, first: int, last: int) -> int:
        """Return how often the events after number `first`, up to `last`, are repeated behind
        `last`.

        Equal events may differ in their numbers, and in the numbers of requests, collective calls
        and messages, which increase with each repetition.
        """
        ...

    def leave_out(self, times: int) -> None:
        """Skip this number of the repetitions that `repetitions` has just found."""
        ...


class UsedFlag(NamedTuple):
    """A use of a possible flag by an entry that is not selected.

    Attributes:
        entry: the entry's number.
        window: the serial of the window.
        owner: rank of the owner of the memory in MPI_COMM_WORLD.
        flag, use: numbers of FLAGS and USES.
    """

    entry: int
    window: int
    owner: int
    flag: int
    use: int


class Selection(NamedTuple):
    """The entries of a log that the analysis needs to find all conflicts.

    Attributes:
        entries: 1 for each entry that it needs, 0 for others.
        flags: the uses of flags by other entries, in order. It may repeat uses by the selected
            entries.
    """

    entries: bytearray
    flags: list[UsedFlag]


class ScreenedLog(Protocol):
    """The facts about a log that its screen needs; `registry.rma_log.log.Log` describes them."""

    rank: int
    words: array[int]

    @property
    def is_complete(self) -> bool: ...

    def memory(self, record: int, count: int, address: int) -> Memory: ...

    def doubles(self, record: int, count: int) -> bool: ...

    def basic(self, record: int) -> tuple[str, int]: ...

    def op(self, handle: int) -> str: ...

    def procedure_name(self, number: int) -> str: ...

    def word(self, enumeration: str, value: int) -> str: ...


class MovedLog(NamedTuple):
    """A log of these events in the form in which a process leaves it for others.

    Attributes:
        words: the wrapper's words (wrapper/registry/rma_log_entry.h), with numbers in place of the
            addresses of records.
        procedures: names of procedures, by their numbers in the log.
        enumerations: names of values, for each enumeration.
        lost: the number of entries for which the log had no space.
        damaged: whether more entries followed that were invalid.
    """

    words: array[int]
    procedures: Mapping[int, str]
    enumerations: Mapping[str, Mapping[int, str]]
    lost: int
    damaged: bool
