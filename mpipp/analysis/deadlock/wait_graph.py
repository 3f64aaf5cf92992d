# SPDX-License-Identifier: MIT
"""The wait-for graph: processes that can continue, and cycles of processes that wait.

A process may continue if its event has happened, or may come from a process that may continue.
These processes are removed until none is left to remove. The remaining processes are deadlocked.
One snapshot of the memory is enough, because their state cannot change any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mpipp.analysis.deadlock.waits.conditions import Condition, Event, holds, lacking


def stuck(
    waiting: Mapping[int, Sequence[Condition]], ended: frozenset[int], lenient: bool
) -> frozenset[int]:
    """Return the processes that can never continue.

    Args:
        waiting: the conditions of each process, by rank. For several threads of a process, one must
            continue.
        ended: processes that will not communicate again; all others may continue.
        lenient: whether conditions that only this library demands count as met.
    """
    left = set(waiting)

    def moves(rank: int) -> bool:
        return rank not in left and rank not in ended

    while True:
        free = {
            rank
            for rank in left
            if any(holds(condition, moves, lenient) for condition in waiting[rank])
        }
        if not free:
            return frozenset(left)
        left -= free


_MOST_STARTS = 64  # processes from which the search for a circle starts


class Edge(NamedTuple):
    """A process that waits for an event of another process."""

    rank: int
    to: int
    event: Event


def edges(
    ranks: Iterable[int],
    waiting: Mapping[int, Sequence[Condition]],
    moves: Callable[[int], bool],
    lenient: bool,
) -> Iterator[Edge]:
    """Yield the missing events of these processes, by the process that should cause them.

    An event with a mismatch is missing even if that process continues.
    """
    for rank in ranks:
        for condition in waiting.get(rank, ()):
            for event in lacking(condition, moves, lenient):
                for to in sorted(event.ranks):
                    if event.mismatch is not None or not moves(to):
                        yield Edge(rank, to, event)


def components(
    ranks: Iterable[int], following: Mapping[int, Sequence[int]]
) -> list[frozenset[int]]:
    """Return the strongly connected components (Tarjan), in reverse topological order.

    So a component comes before those that wait for it.
    """
    ranks = list(ranks)
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    inside: set[int] = set()
    found: list[frozenset[int]] = []
    for start in ranks:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        inside.add(start)
        path = [(start, iter(following.get(start, ())))]
        while path:
            rank, rest = path[-1]
            for to in rest:
                if to not in index:
                    index[to] = low[to] = len(index)
                    stack.append(to)
                    inside.add(to)
                    path.append((to, iter(following.get(to, ()))))
                    break
                if to in inside:
                    low[rank] = min(low[rank], index[to])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[rank])
                if low[rank] == index[rank]:
                    at = stack.index(rank)
                    found.append(frozenset(stack[at:]))
                    inside.difference_update(stack[at:])
                    del stack[at:]
    return found


def is_circle(component: frozenset[int], following: Mapping[int, Sequence[int]]) -> bool:
    """Return whether the processes wait for each other, or a single one for itself."""
    if len(component) > 1:
        return True
    (rank,) = component
    return rank in following.get(rank, ())


def shortest_circle(
    component: frozenset[int], following: Mapping[int, Sequence[int]]
) -> tuple[int, ...]:
    """Return the shortest circle of processes in a component, from the lowest rank."""
    best: tuple[int, ...] = ()
    for start in sorted(component)[:_MOST_STARTS]:
        found = _way_back(start, component, following)
        if found and (not best or len(found) < len(best)):
            best = found
        if len(best) <= 2 and best:
            break
    return best


def _way_back(
    start: int, component: frozenset[int], following: Mapping[int, Sequence[int]]
) -> tuple[int, ...]:
    before: dict[int, int] = {}
    queue = [start]
    for rank in queue:
        for to in following.get(rank, ()):
            if to == start:
                way = [rank]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return tuple(reversed(way))
            if to in component and to not in before:
                before[to] = rank
                queue.append(to)
    return ()
