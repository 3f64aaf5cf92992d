# SPDX-License-Identifier: MIT
"""Find the smallest part of the perturbations that still makes a program fail.

The method is delta debugging: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing
Input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from mpipp.cli.commands.run.perturbation_log import Operation

_T = TypeVar("_T")


class Spent(Exception):
    """Raised when the limit of runs or time is reached."""


def smallest(all_of: Sequence[_T], fails: Callable[[Sequence[_T]], bool]) -> Sequence[_T]:
    """Find a subset that still fails, and no longer fails if any single item is removed.

    Args:
        all_of: items with which the program fails.
        fails: runs the program with some of the items. If the run raises Spent, the smallest subset
            so far is the result.
    """
    kept, parts = all_of, 2
    try:
        while len(kept) > 1:
            chunks = _chunks(kept, parts)
            without = [_without(chunks, i) for i in range(len(chunks))] if parts > 2 else []
            found = next((some for some in [*chunks, *without] if fails(some)), None)
            if found is not None:
                parts = 2 if found in chunks else max(parts - 1, 2)
                kept = found
            elif parts >= len(kept):
                break
            else:
                parts = min(2 * parts, len(kept))
    except Spent:
        pass
    return kept


def _chunks(all_of: Sequence[_T], parts: int) -> list[Sequence[_T]]:
    bounds = [len(all_of) * i // parts for i in range(parts + 1)]
    return [all_of[low:high] for low, high in zip(bounds, bounds[1:])]


def _without(chunks: Sequence[Sequence[_T]], left_out: int) -> Sequence[_T]:
    return [one for i, chunk in enumerate(chunks) if i != left_out for one in chunk]


def operations(
    all_of: Collection[Operation], fails: Callable[[Sequence[Operation]], bool]
) -> Sequence[Operation]:
    """Minimize operations: first whole places in the program, then single operations of them."""
    places = sorted({(one.rank, one.place) for one in all_of})

    def at(some: Iterable[tuple[int, int]]) -> list[Operation]:
        chosen = set(some)
        return sorted(one for one in all_of if (one.rank, one.place) in chosen)

    kept = at(smallest(places, lambda some: fails(at(some))))
    return smallest(kept, fails)


def word(some: Iterable[Operation]) -> str:
    """The value of the rule `only` for these operations: "1:2.3+1:2.5-9"."""
    ranges: list[tuple[Operation, int]] = []  # first of a range, call number of its last
    for one in sorted(some):
        first, last = ranges[-1] if ranges else (one, 0)
        if ranges and one == first._replace(time=last + 1):
            ranges[-1] = first, one.time
        else:
            ranges.append((one, one.time))
    return "+".join(
        f"{first.rank}:{first.place}.{first.time}" + (f"-{last}" if last > first.time else "")
        for first, last in ranges
    )
