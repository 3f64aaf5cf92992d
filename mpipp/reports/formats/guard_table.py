# SPDX-License-Identifier: MIT
"""The guard coverage of buffers of pending operations, as a table with a row for each place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.reports.table_rows import Guarded

TITLE = "Buffers of pending operations, by the calls that started the operations"
HEADS = ("call", "operations", "by pages", "by comparison", "over budget", "not at all")
_WIDEST = 120  # characters of the first column; longer names shift the other columns
# The title of the column for instrumented programs.
ITSELF = "by each access"
# The accesses that a method does not notice, by column.
_MISSED = {
    "by pages": "accesses to a page after its first load or store",
    "by comparison": "loads; the place of a store; stores that were undone",
    "over budget": "everything",
    "not at all": "everything",
    ITSELF: "accesses by functions that were not instrumented, unless another column covers them",
}


def heads(guarded: Sequence[Guarded]) -> tuple[str, ...]:
    """The titles of the existing columns."""
    return (*HEADS, ITSELF) if _has_accesses(guarded) else HEADS


def rows(guarded: Sequence[Guarded]) -> Iterator[tuple[str, ...]]:
    """The rows of the table: a call with its place, and numbers."""
    for one in guarded:
        counts = [one.pages, one.compared, one.skipped, one.nothing]
        name = ", ".join(filter(None, (one.procedure, one.place)))
        cells = [sum(counts), *counts, *([one.accesses] if _has_accesses(guarded) else [])]
        yield name, *(f"{number:,}" for number in cells)


def missed(guarded: Sequence[Guarded]) -> Iterator[str]:
    """The accesses that mpipp may have missed: a sentence for each column that is not empty."""
    for column, (name, *_) in enumerate(zip(heads(guarded)[2:]), 2):
        if any(row[column] != "0" for row in rows(guarded)):
            yield f"{name}: {_MISSED[name]}"


def lines(guarded: Sequence[Guarded]) -> Iterator[str]:
    """The table as text; nothing if it is empty."""
    if not guarded:
        return
    names = heads(guarded)
    table = [names, *rows(guarded)]
    first = min(_WIDEST, max(len(row[0]) for row in table))
    yield f"{TITLE}:"
    for name, *cells in table:
        numbers = (cell.rjust(len(head)) for cell, head in zip(cells, names[1:]))
        yield f"  {name.ljust(first)}  {'  '.join(numbers)}"
    yield "  Accesses that mpipp could have missed:"
    yield from (f"    {sentence}" for sentence in missed(guarded))
    yield ""


def _has_accesses(guarded: Sequence[Guarded]) -> bool:
    return any(one.accesses for one in guarded)
