# SPDX-License-Identifier: MIT
"""The perturbations of calls in a run, as a list with an entry for each place in the program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.common.text import wording
from mpipp.reports.findings_file import Run
from mpipp.reports.table_rows import Provoked

# Texts by way of perturbation, in the order of the list. A number of calls precedes each text.
_PHRASES = {
    "at once": "unchanged",
    "waits": "deferred to {by}",
    "repeated": "unchanged: an equal operation was waiting",
    "copied": "data copied at {by}",
    "cut": "cut into {amount} parts",
    "overtakes": "before {by}, which was called first",
    "flushed": "flushed before the next",
    "delayed": "delayed by {amount} ms",
    "synchronous": "synchronous",
    "junk": "with a fill pattern in the buffer until complete",
    "denied": 'delayed ("not yet")',
    "shuffled": "with the requests in another order",
}
_ORDER = {way: number for number, way in enumerate(("called", *_PHRASES))}
_NUMBER = re.compile(r"(\d+)")


class Place(NamedTuple):
    """A call of the program, with its perturbations."""

    call: str  # "MPI_Put at flush.c:14 in main"
    amount: str  # "200 calls of ranks 0 and 1"
    # Number of calls and perturbation; the number is "188", "all", or "" for a single call.
    done: Sequence[tuple[str, str]]


def title(run: Run) -> str:
    """The title of the list, with the option that repeats the perturbations."""
    return f"Perturbed calls (to repeat: --provoke={run.provoke})"


def places(rows: Sequence[Provoked]) -> Iterator[Place]:
    """The places in source order."""
    found: dict[tuple[str, str], list[Provoked]] = {}
    for row in sorted(rows, key=_key):
        found.setdefault((row.place, row.procedure), []).append(row)
    for (place, procedure), ways in found.items():
        calls = sum(row.times for row in ways if row.way == "called")
        done = [(_share(row.times, calls), _phrase(row)) for row in ways if row.way != "called"]
        ranks = wording.ranks(rank for row in ways for rank in row.ranks)
        if not procedure:  # one entry for all places that did not fit in the wrapper's table
            calls, done = sum(row.times for row in ways), []
        name = _call(procedure, place) if procedure else "at other places"
        yield Place(name, f"{calls:,} call{'s' * (calls != 1)} of {ranks}", done)


def lines(run: Run) -> Iterator[str]:
    """The list as text; nothing if nothing was perturbed."""
    if not run.provoked:
        return
    yield f"{title(run)}:"
    for place in places(run.provoked):
        yield f"  {place.call}, {place.amount}"
        width = max((len(count) + 1 for count, _ in place.done if count), default=0)
        for count, what in place.done:
            share = f"{count} ".rjust(width) if width else ""
            yield f"    {share}{what}"
    yield ""


def _key(row: Provoked) -> tuple[object, ...]:
    return (
        not row.procedure,
        _natural(row.place),
        row.procedure,
        _ORDER.get(row.way, len(_ORDER)),
        _natural(row.by_place),
        row.by,
    )


def _natural(text: str) -> list[tuple[int, str]]:
    # A sort key that puts line 9 before line 10. A number with more digits is larger.
    digits = (one.lstrip("0") if one.isdecimal() else one for one in _NUMBER.split(text))
    return [(len(one) if one.isdecimal() else 0, one) for one in digits]


def _share(times: int, calls: int) -> str:
    if times != calls:
        return f"{times:,}"
    return "all" if calls > 1 else ""


def _phrase(row: Provoked) -> str:
    amount = f"{row.least:,}" if row.least == row.most else f"{row.least:,} to {row.most:,}"
    phrase = _PHRASES.get(row.way, row.way)
    return phrase.format(by=_call(row.by, row.by_place), amount=amount)


def _call(procedure: str, place: str) -> str:
    return f"{procedure} at {place}" if place else procedure
