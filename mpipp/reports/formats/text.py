# SPDX-License-Identifier: MIT
"""A run's findings as text, with their source lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from mpipp.common.text.sanitize import plain
from mpipp.render import finding_head
from mpipp.reports import stop_targets
from mpipp.reports.findings_file import Entry, Place, Run
from mpipp.reports.formats import guard_table, perturbation_table


def lines(run: Run, name: str = "DIR", coloured: bool = False) -> Iterator[str]:
    """The report, without line ends. `name` is the run's directory."""
    if run.command:
        yield plain(shlex.join(run.command))
        yield plain(f"  {', '.join(_facts(run))}")
        yield ""
    for entry in run.findings:
        head, *others = _block(entry)
        yield finding_head.printed(head, entry.point, entry.severity, coloured)
        yield from map(plain, others)
        if any(stop_targets.of(entry.parties)):
            target = shlex.join([stop_targets.OPTION, f"{name}:{entry.number}"])
            yield plain(f"  stop there: {target}")
        yield ""
    yield from map(plain, _tables(run))
    yield finding_head.summary(run.summary, "", _worst(run), coloured)


def _tables(run: Run) -> Iterator[str]:
    yield from guard_table.lines(run.guarded)
    yield from perturbation_table.lines(run)
    yield from (f"not checked: {sentence}" for sentence in run.not_checked)
    if run.suppressed:
        yield suppressed(run)


def _worst(run: Run) -> str:
    # The severity that colours the summary; "" if the run is correct.
    if run.errors or run.not_checked or run.exit:
        return "error"
    return "warning" if run.warnings else ""


def _facts(run: Run) -> Iterator[str]:
    if run.mpi:
        yield run.mpi
    if run.started:
        yield f"started {run.started}"
    yield f"took {run.seconds:g} s"
    if run.exit is not None:
        yield f"exit status {run.exit}"


def suppressed(run: Run) -> str:
    """ "2 suppressed: known leak in foo (1), ..."."""
    count = sum(one.count for one in run.suppressed)
    reasons = ", ".join(f"{one.reason} ({one.count})" for one in run.suppressed)
    return f"{count} suppressed: {reasons}"


def _block(entry: Entry) -> Iterator[str]:
    # The lines of the finding as the run printed them, each place followed by its source line.
    places = {
        place.frame.text: place
        for party in entry.parties
        for place in (*party.places, *party.started)
    }
    for line in entry.lines:
        yield line.text
        known = places.pop(line.place, None)
        source = _line(known) if known is not None else ""
        if known is not None and source:
            indent = " " * (len(line.text) - len(line.text.lstrip()))
            yield f"{indent}  {known.frame.line} | {source}"


def _line(place: Place) -> str:
    number = place.frame.line - place.first
    return place.source[number].strip() if 0 <= number < len(place.source) else ""
