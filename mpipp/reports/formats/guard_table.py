# SPDX-License-Identifier: MIT
"""The table of how buffers of pending operations were looked at, for each place that has any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.reports.table_rows import Guarded

TITLE = "Buffers of pending operations, by the calls that started these"
HEADS = ("call", "operations", "by pages", "by comparison", "not, for time", "not at all")
_WIDEST = 120  # characters of the first column, before a name shifts the others
# Where there are programs that look themselves.
ITSELF = "by each access"
# What is not seen of the operations of a column.
_MISSED = {
    "by pages": "what is done in a page after its first load or store",
    "by comparison": "loads; who has stored, and what was changed back",
    "not, for time": "everything",
    "not at all": "everything",
    ITSELF: "what functions do that others have compiled, unless another column says so",
}


def heads(guarded: Sequence[Guarded]) -> tuple[str, ...]:
    """Of the columns that there are."""
    return (*HEADS, ITSELF) if _has_accesses(guarded) else HEADS


def rows(guarded: Sequence[Guarded]) -> Iterator[tuple[str, ...]]:
    """The cells below the heads: a call with its place, and numbers."""
    for one in guarded:
        counts = [one.pages, one.compared, one.skipped, one.nothing]
        name = ", ".join(filter(None, (one.procedure, one.place)))
        cells = [sum(counts), *counts, *([one.accesses] if _has_accesses(guarded) else [])]
        yield name, *(f"{number:,}" for number in cells)


def missed(guarded: Sequence[Guarded]) -> Iterator[str]:
    """What could have been missed, a sentence for each column that is not empty."""
    for column, (name, *_) in enumerate(zip(heads(guarded)[2:]), 2):
        if any(row[column] != "0" for row in rows(guarded)):
            yield f"{name}: {_MISSED[name]}"


def lines(guarded: Sequence[Guarded]) -> Iterator[str]:
    """As text: nothing where there are none."""
    if not guarded:
        return
    names = heads(guarded)
    table = [names, *rows(guarded)]
    first = min(_WIDEST, max(len(row[0]) for row in table))
    yield f"{TITLE}:"
    for name, *cells in table:
        numbers = (cell.rjust(len(head)) for cell, head in zip(cells, names[1:]))
        yield f"  {name.ljust(first)}  {'  '.join(numbers)}"
    yield "  What could have been missed:"
    yield from (f"    {sentence}" for sentence in missed(guarded))
    yield ""


def _has_accesses(guarded: Sequence[Guarded]) -> bool:
    return any(one.accesses for one in guarded)
