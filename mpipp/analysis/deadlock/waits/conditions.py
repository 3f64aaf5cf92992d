# SPDX-License-Identifier: MIT
"""The conditions of a wait: events that other processes cause.

A condition is met, not known, one event (`Event`), or several: all of them (MPI_Waitall) or
one of them (MPI_Waitany, wildcards).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Union

from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member


@dataclass(frozen=True)
class NoWait:
    """Nothing is waited for: the call can return."""


@dataclass(frozen=True)
class Unknown:
    """It is unknown whether it is there already."""

    reason: str  # why: "receives with MPI_ANY_SOURCE may have taken the message"
    operation: Operation | None = None  # the one of several that is unknown


@dataclass(frozen=True, eq=False)
class Event:
    """Something that one of the processes, or each of them, has still to do."""

    kind: str  # "send" "receive" "collective" "fence" ...: what it is that they have to do
    ranks: frozenset[int]  # of the processes, in MPI_COMM_WORLD
    operation: Operation  # the one that waits for it
    member: Member  # the waiting process on the communicator concerned
    any: bool = False  # one of them will do
    # Only this MPI library waits for it: the standard allows the call to return earlier.
    lenient: bool = False
    # For what was done instead: a process's other call that stands in its place.
    mismatch: Operation | None = None

    @property
    def is_ready_send(self) -> bool:
        """Return whether it is the receive that a ready send waits for, which is wrong without
        it.
        """
        return self.kind == "receive" and self.operation.call.facts.operation == "Rsend"


@dataclass(frozen=True)
class AllOf:
    """All of some conditions."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """Any of some conditions."""

    conditions: tuple[Condition, ...]


Condition = Union[NoWait, Unknown, Event, AllOf, AnyOf]


def holds(condition: Condition, moves: Callable[[int], bool], lenient: bool) -> bool:
    """Return whether a condition may be met if those processes continue for which `moves`.

    lenient: True if the library's own conditions count as met.
    """
    if isinstance(condition, Event):
        if condition.lenient and lenient:
            return True
        if condition.mismatch is not None:
            return False
        found = map(moves, condition.ranks)
        return any(found) if condition.any else all(found)
    if isinstance(condition, AllOf):
        return all(holds(one, moves, lenient) for one in condition.conditions)
    if isinstance(condition, AnyOf):
        return any(holds(one, moves, lenient) for one in condition.conditions)
    return True


def lacking(
    condition: Condition, moves: Callable[[int], bool], lenient: bool = False
) -> Iterator[Event]:
    """The events for want of which a condition does not hold, all that there are."""
    if holds(condition, moves, lenient):
        return
    if isinstance(condition, Event):
        yield condition
    elif isinstance(condition, (AllOf, AnyOf)):
        for one in condition.conditions:
            yield from lacking(one, moves, lenient)


def parts(condition: Condition) -> Iterator[NoWait | Unknown | Event]:
    """The parts of a condition."""
    if isinstance(condition, (AllOf, AnyOf)):
        for one in condition.conditions:
            yield from parts(one)
    else:
        yield condition


def events(condition: Condition) -> Iterator[Event]:
    """All events in a condition."""
    return (one for one in parts(condition) if isinstance(one, Event))


def of_operation(condition: Condition, operation: Operation) -> Condition:
    """The condition for a call that waits for several operations, of which this is one."""
    if isinstance(condition, Unknown):
        return replace(condition, operation=operation)
    if isinstance(condition, (AllOf, AnyOf)):
        return replace(
            condition,
            conditions=tuple(of_operation(one, operation) for one in condition.conditions),
        )
    return condition
