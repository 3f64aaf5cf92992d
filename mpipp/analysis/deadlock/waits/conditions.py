# SPDX-License-Identifier: MIT
"""The conditions of a wait: events that other processes must cause.

A condition is met, unknown, one event (`Event`), or several: all of them (MPI_Waitall) or one of
them (MPI_Waitany, wildcards).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Union

from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member
from mpipp.common.lazy_dataclass import dataclass


@dataclass(frozen=True)
class NoWait:
    """The condition is met: the call can return."""


@dataclass(frozen=True)
class Unknown:
    """It is unknown whether the condition is met."""

    reason: str  # "receives with MPI_ANY_SOURCE may have taken the message"
    operation: Operation | None = None  # with an unknown condition, among several


@dataclass(frozen=True, eq=False)
class Event:
    """An action that one of some processes, or each of them, must still take."""

    kind: str  # the action: "send" "receive" "collective" "fence" ...
    ranks: frozenset[int]  # ranks of these processes in MPI_COMM_WORLD
    operation: Operation  # the operation that waits for the event
    member: Member  # the waiting process on the communicator
    any: bool = False  # whether one of the processes is enough
    # Only this MPI library waits for the event: the standard allows the call to return earlier.
    lenient: bool = False
    # Another call that the process made in place of the expected one.
    mismatch: Operation | None = None

    @property
    def is_ready_send(self) -> bool:
        """True for a missing receive of a ready send, which is erroneous without it."""
        return self.kind == "receive" and self.operation.call.facts.operation == "Rsend"


@dataclass(frozen=True)
class AllOf:
    """Several conditions, which must all be met."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """Several conditions, of which one must be met."""

    conditions: tuple[Condition, ...]


Condition = Union[NoWait, Unknown, Event, AllOf, AnyOf]


def holds(condition: Condition, moves: Callable[[int], bool], lenient: bool) -> bool:
    """Return whether a condition may be met if the processes for which `moves` is true continue.

    Args:
        lenient: whether conditions that only this library demands count as met.
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
    """Yield all events whose absence keeps a condition from being met."""
    if holds(condition, moves, lenient):
        return
    if isinstance(condition, Event):
        yield condition
    elif isinstance(condition, (AllOf, AnyOf)):
        for one in condition.conditions:
            yield from lacking(one, moves, lenient)


def parts(condition: Condition) -> Iterator[NoWait | Unknown | Event]:
    """Yield the simple conditions in a condition."""
    if isinstance(condition, (AllOf, AnyOf)):
        for one in condition.conditions:
            yield from parts(one)
    else:
        yield condition


def events(condition: Condition) -> Iterator[Event]:
    """Yield all events in a condition."""
    return (one for one in parts(condition) if isinstance(one, Event))


def of_operation(condition: Condition, operation: Operation) -> Condition:
    """Return a condition with its operation, for a call that waits for several operations."""
    if isinstance(condition, Unknown):
        return replace(condition, operation=operation)
    if isinstance(condition, (AllOf, AnyOf)):
        return replace(
            condition,
            conditions=tuple(of_operation(one, operation) for one in condition.conditions),
        )
    return condition
