# SPDX-License-Identifier: MIT
"""Sets of ranks as users write them: "all", "3", "0,2-3"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mpipp.common.errors import MpippError
from mpipp.common.text import wording

ALL = "all"
_RUN = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def parse(text: str, known: Iterable[int]) -> list[int]:
    """The ranks in a set, in ascending order.

    Args:
        text: "all", or numbers and ranges: "0,2-3".
        known: the ranks that exist.

    Raises MpippError for text that is not a set of ranks, and for ranks that do not exist.
    """
    existing = sorted(set(known))
    if text == ALL:
        return existing
    found: set[int] = set()
    for first, last in _runs(text):
        inside = [rank for rank in existing if first <= rank <= last]
        if len(inside) <= last - first:
            raise MpippError(_unknown(first, last, existing))
        found.update(inside)
    return sorted(found)


def compact(ranks: Iterable[int]) -> str:
    """Ranks as users write them: "0,2-3"."""
    runs: list[list[int]] = []
    for rank in sorted(set(ranks)):
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ",".join(f"{first}-{last}" if last > first else str(first) for first, last in runs)


def _runs(text: str) -> Iterator[tuple[int, int]]:
    for part in text.split(","):
        found = _RUN.fullmatch(part)
        if found is None:
            raise MpippError(f'{text or "nothing"} is not a set of ranks: write "all" or "0,2-3"')
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            raise MpippError(f"{part} is not a range of ranks: write {last}-{first}")
        yield first, last


def _unknown(first: int, last: int, existing: Sequence[int]) -> str:
    # A range may be long: the first missing rank is enough for the message.
    have = set(existing)
    missing = next(rank for rank in range(first, last + 1) if rank not in have)
    there = "is" if len(existing) == 1 else "are"
    ranks = f"there {there} {wording.ranks(existing)}" if existing else "there are no ranks"
    return f"there is no rank {missing}: {ranks}"
