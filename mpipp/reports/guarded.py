# SPDX-License-Identifier: MIT
"""The table of how buffers of pending operations were looked at, for each place that has any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.reports.directory import Guarded

TITLE = "Buffers of pending operations, by the calls that started these"
HEADS = ("call", "operations", "by pages", "by comparison", "not, for time", "not at all")


def rows(guarded: Sequence[Guarded]) -> Iterator[tuple[str, ...]]:
    """The cells below the heads: a call with its place, and numbers."""
    for one in guarded:
        counts = (one.pages, one.compared, one.skipped, one.nothing)
        name = ", ".join(filter(None, (one.procedure, one.place)))
        yield name, *(f"{number:,}" for number in (sum(counts), *counts))


def lines(guarded: Sequence[Guarded]) -> Iterator[str]:
    """As text: nothing where there are none."""
    if not guarded:
        return
    table = [HEADS, *rows(guarded)]
    first = max(len(row[0]) for row in table)
    yield f"{TITLE}:"
    for name, *cells in table:
        numbers = (cell.rjust(len(head)) for cell, head in zip(cells, HEADS[1:]))
        yield f"  {name.ljust(first)}  {'  '.join(numbers)}"
    yield ""
