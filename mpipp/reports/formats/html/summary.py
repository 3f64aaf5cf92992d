# SPDX-License-Identifier: MIT
"""The top of a report's page: the numbers of findings of each kind, and their ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from mpipp.common.text import wording
from mpipp.reports.findings_file import Entry, Run
from mpipp.reports.formats.html.escape import html as e

SEVERITIES = ("error", "warning", "remark")  # worst first
_MOST_CELLS = 64  # cells in the strip of ranks
_MOST_RANKS = 1 << 20


def summary(run: Run) -> Iterator[str]:
    """The counts by severity and kind, and the strip of ranks."""
    yield '<section class="overview" aria-labelledby="overview"><h2 id="overview">Overview</h2>'
    yield '<ul class="counts-by-severity">'
    found = Counter(one.severity for one in run.findings)
    for severity in SEVERITIES:
        number = found[severity]
        look = severity if number else "zero"
        noun = severity if number == 1 else f"{severity}s"
        yield f'<li class="{look}"><strong>{number}</strong> {noun}</li>'
    yield "</ul>"
    if run.findings:
        yield from _kinds(run.findings)
        yield from _strip(run)
    yield "</section>"


def controls(entries: Sequence[Entry]) -> Iterator[str]:
    """The fields to filter findings. The page's script makes them visible."""
    if len(entries) < 2:
        return
    yield '<section class="controls" aria-labelledby="filter" hidden>'
    yield '<h2 id="filter">Filter</h2>'
    yield '<label>Search <input type="search" id="search" autocomplete="off"></label>'
    yield '<label>Rank <input type="number" id="rank" min="0" inputmode="numeric"></label>'
    yield "<fieldset><legend>Severity</legend>"
    for severity in SEVERITIES:
        if any(one.severity == severity for one in entries):
            box = f'<input type="checkbox" class="severity" value="{severity}" checked>'
            yield f"<label>{box} {severity}s</label>"
    yield "</fieldset>"
    yield '<label>Kind <select id="kind"><option value="">all kinds</option>'
    for check in sorted({one.check for one in entries}):
        yield f'<option value="{e(check)}">{e(check)}</option>'
    yield "</select></label>"
    yield '<button type="button" id="open-all">Open all</button>'
    yield '<button type="button" id="close-all">Close all</button>'
    yield '<p id="shown" role="status"></p></section>'


def ranks_of(entry: Entry) -> str:
    """The ranks of a finding as ranges: "0-3 8"."""
    runs: list[list[int]] = []
    for rank in sorted({rank for party in entry.parties for rank in party.ranks}):
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _kinds(entries: Sequence[Entry]) -> Iterator[str]:
    found = Counter(one.check for one in entries)
    worst = {one.check: one.severity for one in reversed(_by_severity(entries))}
    yield '<ul class="kinds">'
    for check, number in sorted(found.items(), key=lambda one: (-one[1], one[0])):
        kind = f'<span class="kind {worst[check]}">{e(check)}</span>'
        yield f"<li>{kind} <strong>{number}</strong></li>"
    yield "</ul>"


def _by_severity(entries: Sequence[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda one: SEVERITIES.index(one.severity))


def _strip(run: Run) -> Iterator[str]:
    # A cell for each rank, or for several if there are many, in the colour of the worst finding.
    worst = worst_by_rank(run.findings)
    size = max([run.processes, *(rank + 1 for rank in worst)], default=0)
    if not worst or size > _MOST_RANKS:
        return
    step = -(-size // _MOST_CELLS)
    yield '<div class="ranks"><span>rank 0</span>'
    yield f'<div class="strip" role="img" aria-label="{e(described(worst))}">'
    for first in range(0, size, step):
        of = [worst[rank] for rank in range(first, min(first + step, size)) if rank in worst]
        look = min(of, key=SEVERITIES.index, default="none")
        name = wording.ranks(range(first, min(first + step, size)))
        yield f'<span class="cell {look}" title="{e(name)}" data-rank="{first}"></span>'
    yield f"</div><span>{size - 1}</span></div>"
    yield f'<p class="dim">{e(described(worst))}</p>'


def worst_by_rank(entries: Sequence[Entry]) -> dict[int, str]:
    """The worst severity among the findings of each rank."""
    ordered = reversed(_by_severity(entries))
    return {rank: one.severity for one in ordered for party in one.parties for rank in party.ranks}


def described(worst: Mapping[int, str]) -> str:
    """The strip as text: "errors in ranks 0 and 3; warnings in rank 1"."""
    parts = []
    for severity in SEVERITIES:
        ranks = [rank for rank, one in worst.items() if one == severity]
        if ranks:
            parts.append(f"{severity}s in {wording.ranks(ranks)}")
    return "; ".join(parts)
