# SPDX-License-Identifier: MIT
"""The causes of a hang: the state of each process, and the processes that can never continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock import wait_graph
from mpipp.analysis.deadlock.wait_graph import Edge
from mpipp.analysis.deadlock.waits.conditions import (
    Condition,
    Event,
    NoWait,
    Unknown,
    lacking,
    parts,
)
from mpipp.analysis.deadlock.waits.dispatch import Waits, flattened, waits_for
from mpipp.common.lazy_dataclass import dataclass
from mpipp.model import Polls, Thread

_MANY = 16  # unsuccessful polls in sequence: the process does little else


class Wait(NamedTuple):
    """An active or polling call of a thread, and the condition that it waits for."""

    operation: Operation
    condition: Condition


@dataclass(frozen=True)
class State:
    """The state of a process."""

    rank: int  # in MPI_COMM_WORLD
    process: Process
    # "waits"; "polls" repeatedly; "calls" MPI, and the call may return; "computes" outside MPI;
    # "ends"; "died".
    kind: str
    waits: tuple[Wait, ...]  # one for each thread
    # The reasons why it is unknown whether the process may continue; empty if it is known.
    unknown: tuple[Unknown, ...] = ()
    # All threads of the process that are in MPI wait, and another thread that has called MPI before
    # is not in MPI.
    has_outside: bool = False

    @property
    def has_ended(self) -> bool:
        """True if the process will never communicate again."""
        return self.kind in ("ends", "died")

    @property
    def conditions(self) -> list[Condition]:
        """The conditions of the process's threads."""
        return [wait.condition for wait in self.waits]


@dataclass(frozen=True)
class Knot:
    """Processes that can never continue: they wait for each other or for an ended process."""

    ranks: frozenset[int]
    circle: tuple[int, ...]  # processes that wait for each other; empty if `ended` is the cause
    ended: tuple[int, ...]  # processes that have ended and are waited for
    lenient: bool  # whether only the library makes them wait
    # True if different collective operations match each other: the effect depends on the library.
    mismatch: bool
    behind: tuple[int, ...]  # processes that wait for the deadlocked ones


@dataclass(frozen=True)
class Explanation:
    """The reasons why the processes of one MPI_COMM_WORLD wait."""

    world: World
    waits: Waits
    states: Mapping[int, State]  # by rank
    missing: tuple[int, ...]  # ranks of the absent processes
    knots: tuple[Knot, ...]
    edges: tuple[Edge, ...]  # all waits of any process
    # Ranks that continue only if a thread outside MPI calls MPI, in their own or another process.
    left_outside: frozenset[int]

    @cached_property
    def stuck(self) -> frozenset[int]:
        """The ranks that can never continue."""
        found = (rank for knot in self.knots for rank in (*knot.ranks, *knot.behind))
        return frozenset(found)

    @cached_property
    def died(self) -> list[int]:
        """The ranks of the processes that died of a signal."""
        return [rank for rank, one in self.states.items() if one.kind == "died"]

    @cached_property
    def unknown_ranks(self) -> list[int]:
        """The ranks of processes of which it is unknown whether they may still continue."""
        left = self.left_outside
        return [rank for rank, one in self.states.items() if one.unknown or rank in left]

    def certain(self, knot: Knot) -> bool:
        """Return whether the knot is certain: no thread can resolve it with its first MPI call."""
        processes = (self.states[rank].process for rank in knot.ranks)
        return not any(process.may_gain_caller for process in processes)

    def polls(self, knot: Knot) -> bool:
        """Return whether one of the processes only polls: its program may do something else."""
        return any(self.states[rank].kind == "polls" for rank in knot.ranks)

    def comms(self, knot: Knot) -> list[Member]:
        """Return the communicators, if only collective calls on them are missing, else []."""
        found: dict[int, Member] = {}
        for rank in knot.circle:
            for wait in self.states[rank].waits:
                for event in self.lacks(wait, knot.lenient):
                    if event.kind != "collective" or event.mismatch is not None:
                        return []
                    found[event.member.comm.identity] = event.member
        return list(found.values())

    def differing(self, knot: Knot) -> tuple[frozenset[int], bool]:
        """Return the ranks that are in different collective operations, for a mismatch.

        If the others' operations are completed, the result has the ranks in another operation, and
        True.
        """
        edges = [one for one in self.edges if one.rank in knot.ranks and one.event.mismatch]
        going = [
            edge for edge in edges if edge.event.mismatch and not edge.event.mismatch.is_completed
        ]
        ranks = {edge.rank for edge in going or edges} | {edge.to for edge in going}
        return frozenset(ranks), not going

    def relies(self, knot: Knot) -> bool:
        """Return whether a circle exists only because this library waits.

        Another library may buffer the message, or return before the other processes have called. A
        ready send does not count, because it must not wait.
        """
        if not knot.lenient or not knot.circle or knot.mismatch:
            return False
        waits = (wait for rank in knot.ranks for wait in self.states[rank].waits)
        lacks = (event for wait in waits for event in self.lacks(wait, knot.lenient))
        return any(event.lenient and not event.is_ready_send for event in lacks)

    def waits_itself(self, rank: int) -> bool:
        """Return whether a process waits for others."""
        state = self.states.get(rank)
        return state is not None and (state.kind in ("waits", "polls") or state.has_outside)

    def lacks(self, wait: Wait, lenient: bool) -> list[Event]:
        """Return the missing events of a call; if the standard requires some, only these."""
        firm = list(lacking(wait.condition, self._moves, lenient=True))
        return firm or (list(lacking(wait.condition, self._moves)) if lenient else [])

    def _moves(self, rank: int) -> bool:
        state = self.states.get(rank)
        return rank not in self.stuck and (state is None or not state.has_ended)


def explain(known: World, polling_waits: bool = False, waits: Waits | None = None) -> Explanation:
    """Return the waits of a job's processes, and the processes that can never continue.

    Args:
        polling_waits: whether a polling process is assumed to do nothing else until a poll
            succeeds.
        waits: the waits of the same job, if they were computed before.
    """
    waits = waits or Waits(known)
    states: dict[int, State] = {}
    for process in known.processes:
        state = _state(process, waits)
        states[state.rank] = state
    stands = ("waits", "polls") if polling_waits else ("waits",)
    waiting = {rank: one.conditions for rank, one in states.items() if one.kind in stands}
    ended = frozenset(rank for rank, state in states.items() if state.has_ended)
    firm = wait_graph.stuck(waiting, ended, lenient=True)
    every = wait_graph.stuck(waiting, ended, lenient=False)
    knots = [*_knots(firm, waiting, ended, True), *_knots(every, waiting, ended, False, firm)]
    missing = tuple(rank for rank in range(known.size) if rank not in states)
    edges = tuple(wait_graph.edges(waiting, waiting, lambda _: False, lenient=False))
    inside = {rank: one.conditions for rank, one in states.items() if one.has_outside}
    left = (
        wait_graph.stuck({**waiting, **inside}, ended, lenient=False) - every
        if inside
        else frozenset()
    )
    return Explanation(known, waits, states, missing, tuple(knots), edges, frozenset(left))


def explain_all(known: World) -> Explanation:
    """Return the explanation; if it has no knot, the one in which polling counts as waiting."""
    found = explain(known)
    return found if found.knots else explain(known, True, found.waits)


def _state(process: Process, waits: Waits) -> State:
    info = process.registry.info
    assert info.world_rank is not None
    threads = [t for t in process.registry.threads() if isinstance(t, Thread)]
    polling = [t for t in threads if t.polls and t.polls.count >= _MANY]
    inside = [(t.tid, t.call or t.unrecorded) for t in threads if t not in polling]
    active = [Operation(process, call, None, tid) for tid, call in inside if call]
    found = [Wait(one, flattened(waits.call(one))) for one in active]
    kind = "waits" if all(waits_for(one.condition) for one in found) else "calls"
    untold: tuple[Unknown, ...] = ()
    has_outside = False
    if info.several_threads and len(active) + len(polling) < len(threads):
        has_outside = bool(found) and not polling and kind == "waits"
        kind = "calls" if found else "computes"
    elif kind == "calls":
        untold = _unknown_conditions(found)
    elif kind == "waits" and polling:
        kind = "polls"
        found += [_polls(process, waits, t.tid, t.polls) for t in polling if t.polls]
    elif not found:
        kind = "computes"
    if _ends(process, {one.call.procedure for one in active}):
        kind, untold, has_outside = "ends", (), False
    if process.death is not None:
        kind, untold, has_outside = "died", (), False
    return State(info.world_rank, process, kind, tuple(found), untold, has_outside)


def _ends(process: Process, inside: set[str]) -> bool:
    # Return whether the process will not communicate again. Callbacks in MPI_Finalize may
    # communicate (MPI-4.1, section 11.2.4), and sessions outlive it.
    info = process.registry.info
    finalizes = "MPI_Finalize" in inside and not info.end_awaited
    if (info.status == "finalized" or finalizes) and not process.live_sessions:
        return True
    return "MPI_Abort" in inside or process.has_left_sessions


def _unknown_conditions(waits: Sequence[Wait]) -> tuple[Unknown, ...]:
    # If all threads of a process are in MPI, one call that can return lets the process continue.
    if any(isinstance(wait.condition, NoWait) for wait in waits):
        return ()
    every = (part for wait in waits for part in parts(wait.condition))
    return tuple(part for part in every if isinstance(part, Unknown))


def _polls(process: Process, waits: Waits, tid: int, polls: Polls) -> Wait:
    operation = Operation(process, polls.call, None, tid)
    return Wait(operation, flattened(waits.polled(operation, polls)))


def _knots(
    stuck: frozenset[int],
    waiting: Mapping[int, Sequence[Condition]],
    ended: frozenset[int],
    lenient: bool,
    known: frozenset[int] = frozenset(),
) -> list[Knot]:
    # The stuck processes that are not in `known`, as knots; a cause comes before its effects.
    def moves(rank: int) -> bool:
        return rank not in stuck and rank not in ended

    found = list(wait_graph.edges(sorted(stuck), waiting, moves, lenient))
    following: dict[int, list[int]] = {rank: [] for rank in stuck}
    for edge in found:
        if edge.to in stuck:
            following[edge.rank].append(edge.to)
    knots: list[Knot] = []
    different = {edge.rank for edge in found if edge.event.mismatch is not None}
    for component in wait_graph.components(sorted(stuck), following):
        if wait_graph.is_circle(component, following) and not component <= known:
            circle = wait_graph.shortest_circle(component, following)
            mismatch = bool(component & different)
            knots.append(Knot(component, circle, (), not lenient, mismatch, ()))
    taken = {rank for knot in knots for rank in knot.ranks} | known
    knots += _lone_waits(found, frozenset(ended), different - taken, taken, lenient)
    taken |= {rank for knot in knots for rank in knot.ranks}
    return [_with_behind(knot, stuck - taken, following) for knot in knots]


def _lone_waits(
    found: Sequence[Edge],
    ended: frozenset[int],
    different: set[int],
    taken: set[int],
    lenient: bool,
) -> Iterator[Knot]:
    # Processes outside cycles that wait for ended processes, or are in different operations.
    if different:
        yield Knot(frozenset(different), (), (), not lenient, True, ())
    left: dict[tuple[int, ...], list[int]] = {}
    for rank in sorted({edge.rank for edge in found} - taken - different):
        gone = sorted({edge.to for edge in found if edge.rank == rank and edge.to in ended})
        if gone:
            left.setdefault(tuple(gone), []).append(rank)
    for gone_for, ranks in left.items():
        yield Knot(frozenset(ranks), (), gone_for, not lenient, False, ())


def _with_behind(knot: Knot, rest: frozenset[int], following: Mapping[int, Sequence[int]]) -> Knot:
    # Adds the processes that wait for the knot, directly or through others.
    reached = set(knot.ranks)
    while True:
        more = {rank for rank in rest - reached if any(to in reached for to in following[rank])}
        if not more:
            break
        reached |= more
    return replace(knot, behind=tuple(sorted(reached - knot.ranks)))
