# SPDX-License-Identifier: MIT
"""Programs of one-sided operations, written as the events that they would record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpipp.analysis.rma_engine import Conflict, analyse
from mpipp.model import rma_events as m
from mpipp.model.message_events import Channel, Received, Sent
from mpipp.model.moment import Moment

BASE = 0x10000  # address of every window's memory, in every process
LENGTH = 0x1000
BUFFERS = 0x80000  # address of memory outside windows
WINDOW = 1
INT = "MPI_INT"
SIZES = {INT: 4, "MPI_UNSIGNED": 4, "MPI_DOUBLE": 8}


def at(first: int, length: int = 4, stride: int = 0, times: int = 1) -> m.Memory:
    """Bytes of the window, by their displacement."""
    return (m.Comb(BASE + first, length, stride, times),)


def buffer(number: int, length: int = 4) -> m.Memory:
    """A buffer of a process, outside the window."""
    return (m.Comb(BUFFERS + number * 0x100, length),)


class Rank:
    """The events of one process. Each has a different place in the program."""

    def __init__(self, program: Program, rank: int) -> None:
        self.program = program
        self.rank = rank
        self.events: list[m.Event] = []
        self.buffers = 0

    def moment(self, procedure: str) -> Moment:
        self.program.places += 1
        number = len(self.events) + 1
        return Moment(self.rank, 0, number, self.program.places, procedure)

    def does(self, event: m.Event) -> m.Event:
        self.events.append(event)
        return event

    def own(self) -> m.Memory:
        """A buffer that nothing else has used."""
        self.buffers += 1
        return buffer(self.buffers)

    def operation(
        self,
        kind: str,
        target: int,
        memory: m.Memory,
        origin: m.Memory | None = None,
        result: m.Memory | None = None,
        op: str = "",
        types: Sequence[str] = (),
        request: int = 0,
        window: int = WINDOW,
    ) -> m.Event:
        fetches = kind in ("get_accumulate", "fetch_and_op", "compare_and_swap")
        if not op and kind not in ("put", "get", "compare_and_swap"):
            op = "MPI_SUM"
        return self.does(
            m.Operation(
                self.moment(kind),
                kind,
                window,
                target,
                self.own() if origin is None else origin,
                memory,
                (self.own() if result is None else result) if fetches else (),
                self.own() if kind == "compare_and_swap" else (),
                op,
                tuple(types) or (INT,),
                request,
                size=SIZES[types[0] if types else INT] if len(types) <= 1 else 0,
            )
        )

    def put(self, target: int, memory: m.Memory, origin: m.Memory | None = None) -> m.Event:
        return self.operation("put", target, memory, origin)

    def get(self, target: int, memory: m.Memory, origin: m.Memory | None = None) -> m.Event:
        return self.operation("get", target, memory, origin)

    def accumulate(
        self, target: int, memory: m.Memory, op: str = "MPI_SUM", types: Sequence[str] = ()
    ) -> m.Event:
        return self.operation("accumulate", target, memory, None, None, op, types)

    def load(self, memory: m.Memory, owner: int = -1) -> m.Event:
        return self.does(m.Access(self.moment("load"), False, memory, 1, owner))

    def store(self, memory: m.Memory, owner: int = -1) -> m.Event:
        return self.does(m.Access(self.moment("store"), True, memory, 1, owner))

    def sync(
        self,
        kind: str,
        target: int = -1,
        group: Sequence[int] = (),
        *asserted: str,
        exclusive: bool = False,
        window: int = WINDOW,
    ) -> m.Event:
        return self.does(
            m.Synchronization(
                self.moment(kind),
                kind,
                window,
                target,
                tuple(group),
                exclusive,
                frozenset(asserted),
            )
        )

    def completed(self, *requests: int) -> m.Event:
        return self.does(m.Completed(self.moment("wait"), requests))


class Program:
    """The processes of a program, and their common calls."""

    def __init__(self, number: int, windows: int = 1, **how: Any) -> None:
        self.places = 0
        self.ranks = [Rank(self, rank) for rank in range(number)]
        self.channels: dict[tuple[int, int], int] = {}
        self.collectives = 0
        self.requests = 0
        for window in range(WINDOW, WINDOW + windows):
            self.make(window, **how)

    def __getitem__(self, rank: int) -> Rank:
        return self.ranks[rank]

    @property
    def everybody(self) -> tuple[int, ...]:
        return tuple(range(len(self.ranks)))

    def events(self) -> dict[int, list[m.Event]]:
        return {rank.rank: rank.events for rank in self.ranks}

    def make(self, window: int = WINDOW, ranks: Sequence[int] = (), **how: Any) -> None:
        memory = {"base": BASE, "length": LENGTH}
        made: dict[str, Any] = {"flavor": "create", "separate": False, "unit": 1, **memory, **how}
        group = tuple(ranks) or self.everybody
        for rank in map(self.ranks.__getitem__, group):
            rank.does(
                m.WindowMade(
                    rank.moment("MPI_Win_create"),
                    window,
                    ranks=group,
                    **made,
                )
            )

    def free(self, window: int, ranks: Sequence[int] = ()) -> None:
        for rank in tuple(ranks) or self.everybody:
            self[rank].does(m.WindowFreed(self[rank].moment("MPI_Win_free"), window))

    def request(self) -> int:
        self.requests += 1
        return self.requests

    def end(self) -> None:
        """Add MPI_Finalize to all processes that have not called it."""
        for rank in self.ranks:
            if isinstance(rank.events[-1], m.Finalized):
                continue
            rank.does(m.Finalized(rank.moment("MPI_Finalize")))

    def channel(self, source: int, destination: int) -> Channel:
        ordinal = self.channels.get((source, destination), 0)
        self.channels[source, destination] = ordinal + 1
        return Channel(0, source, destination, 0, ordinal)

    def message(self, source: int, destination: int) -> None:
        channel = self.channel(source, destination)
        self[source].does(Sent(self[source].moment("MPI_Send"), channel))
        self[destination].does(Received(self[destination].moment("MPI_Recv"), channel))

    def synchronous(self, source: int, destination: int) -> None:
        """Add MPI_Ssend and MPI_Recv."""
        channel, request = self.channel(source, destination), self.request()
        self[source].does(Sent(self[source].moment("MPI_Ssend"), channel, True, request))
        self[destination].does(Received(self[destination].moment("MPI_Recv"), channel))
        self[source].completed(request)

    def collective(self, flow: str = "all", root: int = -1, silent: Sequence[int] = ()) -> None:
        """Add a collective call of all processes. The `silent` ones send and receive no data."""
        for rank in self.ranks:
            sources = {
                "all": None,
                "from root": (root,) * (rank.rank != root),
                "to root": self.everybody if rank.rank == root else (),
                "prefix": self.everybody[: rank.rank],
                "ring": ((rank.rank - 1) % len(self.ranks),),
                "none": (),
            }[flow]
            is_silent = rank.rank in silent
            self.joins(rank.rank, f"MPI_{flow}", () if is_silent else sources, not is_silent)
        self.collectives += 1

    def joins(
        self, rank: int, procedure: str, sources: tuple[int, ...] | None, gives: bool = True
    ) -> None:
        """Add the current collective call to one process."""
        moment, size = self[rank].moment(procedure), len(self.ranks)
        self[rank].does(m.Collective(moment, 0, self.collectives, size, sources, gives))

    def barrier(self) -> None:
        self.collective()

    def begun(self) -> list[int]:
        """Add MPI_Ibarrier to all processes. Returns their requests."""
        requests = []
        for rank in self.ranks:
            requests.append(self.request())
            rank.does(
                m.Collective(
                    rank.moment("MPI_Ibarrier"),
                    0,
                    self.collectives,
                    len(self.ranks),
                    request=requests[-1],
                )
            )
        self.collectives += 1
        return requests

    def sync(self, kind: str, *asserted: str, target: int = -1, window: int = WINDOW) -> None:
        """Add a synchronization call to all processes."""
        for rank in self.ranks:
            rank.sync(kind, target, (), *asserted, window=window)


def told(conflict: Conflict) -> str:
    """A conflict as one line."""
    sides = [
        f"{side.event.moment.procedure}@{side.event.moment.process}"
        for side in (conflict.first, conflict.second)
    ]
    where = " and ".join(
        f"[{low - BASE},{high - BASE})" if low < BUFFERS else f"{high - low} bytes"
        for low, high in filter(None, (conflict.shared, conflict.apart))
    )
    return f"{conflict.rule}: {' '.join(sides)} {where} of {conflict.owner}, {conflict.why}"


def found(program: Program) -> list[str]:
    """Conflicts and mistakes, each as one line."""
    program.end()
    result = analyse(program.events())
    assert not result.forgotten
    assert not result.unknown
    assert not result.cut
    assert not result.undecided
    mistakes = [f"{one.rule}: {one.event.moment.procedure}" for one in result.mistakes]
    return [*map(told, result.conflicts), *mistakes]
