# SPDX-License-Identifier: MIT
"""Which processes can continue, and which wait for each other in a cycle?

A process may continue if its event is there, or may come from a process that may continue. These
are removed, and so on to a fixed point; the rest are deadlocks. One look at the memory suffices:
the rest cannot change any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mpipp.analysis.deadlock.waits.conditions import Condition, Event, holds, lacking


def stuck(
    waiting: Mapping[int, Sequence[Condition]], ended: frozenset[int], lenient: bool
) -> frozenset[int]:
    """The processes that can never continue.

    Args:
        waiting: by rank the conditions of each; for several threads of a process, one must
            continue.
        ended: those that communicate no more; all others may continue.
        lenient: True if the library's own conditions count as met.
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


_MOST_STARTS = 64  # processes from which a circle is looked for


class Edge(NamedTuple):
    """A process waits for another."""

    rank: int
    to: int
    event: Event


def edges(
    ranks: Iterable[int],
    waiting: Mapping[int, Sequence[Condition]],
    moves: Callable[[int], bool],
    lenient: bool,
) -> Iterator[Edge]:
    """The missing events of those processes, by the process that should cause them.

    In place of another operation none does, whether it moves or not.
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
    """The strongly connected components, those that others lead to first (Tarjan)."""
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
    """Return whether its processes wait for each other, or one for itself."""
    if len(component) > 1:
        return True
    (rank,) = component
    return rank in following.get(rank, ())


def shortest_circle(
    component: frozenset[int], following: Mapping[int, Sequence[int]]
) -> tuple[int, ...]:
    """The fewest processes in it that wait for each other in a circle, from the lowest rank."""
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
