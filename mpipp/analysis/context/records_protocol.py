# SPDX-License-Identifier: MIT
"""The checks' interface to a process's records, from any source."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from mpipp.model import (
    Breach,
    Broken,
    Call,
    Channel,
    Comm,
    DatatypeRecord,
    Header,
    KeptCall,
    KeyvalPlace,
    Object,
    Outline,
    ProcessInfo,
    Request,
    ReturnedCode,
    Site,
    Stretch,
    Thread,
    ThreadCall,
    Touch,
)

if TYPE_CHECKING:
    from array import array

    from mpipp.model.rma_events import Event, Memory, ThreadOrder
    from mpipp.model.rma_logs import MovedLog, ScreenedLog, Selection


class OnesidedLog(Protocol):
    """The interface of a process's RMA log; `registry.rma_log.log.Log` describes the members."""

    rank: int
    lost: int
    words: array[int]

    @property
    def damaged(self) -> bool: ...

    @property
    def is_complete(self) -> bool: ...

    @property
    def windows(self) -> Mapping[int, tuple[int, int, tuple[int, int]]]: ...

    @property
    def queried(self) -> frozenset[int]: ...

    @property
    def finds_races(self) -> bool: ...

    @property
    def has_values(self) -> bool: ...

    @property
    def has_other_worlds(self) -> bool: ...

    @property
    def thread_order(self) -> ThreadOrder: ...

    def events(
        self,
        reach: Callable[[int, int], tuple[int, int] | None],
        queried: Container[int],
        selection: Selection | None = None,
    ) -> Iterable[Event]: ...

    def selections_with(self, others: Sequence[ScreenedLog]) -> Sequence[Selection] | None: ...

    def memory(self, record: int, count: int, address: int) -> Memory: ...

    def doubles(self, record: int, count: int) -> bool: ...

    def basic(self, record: int) -> tuple[str, int]: ...

    def op(self, handle: int) -> str: ...

    def procedure_name(self, number: int) -> str: ...

    def word(self, enumeration: str, value: int) -> str: ...

    def moved(
        self, place: Callable[[Site], int], datatype: Callable[[DatatypeRecord | Broken], int]
    ) -> MovedLog: ...

    def call(self, number: int) -> Call | None: ...

    def site(self, place: int) -> Site: ...


class Records(Protocol):
    """The interface of a process's records; `registry.registry.Registry` describes the members."""

    @property
    def info(self) -> ProcessInfo: ...

    @property
    def constants(self) -> Mapping[str, int]: ...

    @property
    def count_of_calls(self) -> int: ...

    def constant_name(self, value: int, *names: str) -> str | None: ...

    def find(self, kind: str, handle: int, place: int | None = None) -> Object | Broken | None: ...

    def at(self, kind: str, address: int) -> Object | Broken: ...

    def objects(self, kind: str, ended: bool = False) -> Iterator[Object | Broken]: ...

    def headers(self, kind: str, ended: bool = False) -> Iterator[Header | Broken]: ...

    def record_count(self, kind: str) -> int: ...

    def broken_headers(self, kind: str) -> Iterator[Broken]: ...

    def is_zero(self, address: int) -> bool: ...

    def combiner(self, address: int) -> str: ...

    def passed_requests(self, call: Call, most: int) -> list[tuple[Object | Broken, ...]]: ...

    def passed_handles(self, call: Call, most: int) -> tuple[int, ...]: ...

    def stale_requests(self, call: Call, most: int) -> Iterator[tuple[int, Request]]: ...

    def pending_requests(self) -> Iterator[Request | Broken]: ...

    def freed_active_requests(self) -> Iterator[Request]: ...

    def threads(self) -> Iterator[Thread | Broken]: ...

    def last_calls(self) -> Iterator[ThreadCall]: ...

    def recorded_calls(self, comm: Comm, channel: Channel) -> list[Stretch]: ...

    def times(self, channel: Channel) -> Mapping[int, int]: ...

    def kinds(self, comm: Comm, channel: Channel) -> list[KeptCall]: ...

    def outline(self, comm: Comm, channel: Channel) -> Outline | None: ...

    def breaches(self) -> Iterator[Breach]: ...

    def returned_codes(self) -> Iterator[ReturnedCode]: ...

    def keyval_places(self) -> Iterator[KeyvalPlace]: ...

    def touches(self) -> Iterator[Touch]: ...

    def onesided(self) -> OnesidedLog | None: ...
