# SPDX-License-Identifier: MIT
"""Stops of ranks, merged: "ranks 0 to 3: Breakpoint 1, relax at halo.c:20"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mpipp.common.text import wording


class Stop(NamedTuple):
    """The stop of one rank, or its end.

    Attributes:
        cause: "Breakpoint 1", "SIGSEGV"; "" after a step, or on request; "exited with status 1" for
            a
            process that has ended.
        place: "relax at halo.c:20"; "" for a process that has ended.
        source: the number and the text of the source line; "" if unknown.
        has_ended: True if the process has ended.
    """

    rank: int
    cause: str
    place: str
    source: str = ""
    has_ended: bool = False


def lines(stops: Iterable[Stop]) -> Iterator[str]:
    """The merged stops, each with its ranks. Ranks that have ended come first."""
    groups: dict[Stop, list[int]] = {}
    for stop in stops:
        groups.setdefault(stop._replace(rank=0), []).append(stop.rank)
    ordered = sorted(groups.items(), key=lambda group: (not group[0].has_ended, min(group[1])))
    for number, (stop, ranks) in enumerate(ordered):
        if stop.has_ended:
            yield wording.verb(ranks, f"has {stop.cause}", f"have {stop.cause}")
        else:
            yield f"{wording.ranks(ranks)}: {', '.join(filter(None, (stop.cause, stop.place)))}"
        # Print a source line only once if several groups of ranks stopped there.
        following = ordered[number + 1][0] if number + 1 < len(ordered) else None
        if stop.source and (following is None or following.source != stop.source):
            yield stop.source
