# SPDX-License-Identifier: MIT
"""What a run has found so far: each place once, however many processes and looks find it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from mpipp.checks import report
from mpipp.checks.finding import Finding, Party
from mpipp.checks.hangs import words

MOST_AT_A_PLACE = 20
MOST = 200

_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")

Where = Callable[[Party], list[str]]
Label = Callable[..., str]


class Total(NamedTuple):
    """What a watcher says at its end; those of several nodes are added."""

    processes: int
    calls: int
    errors: int
    warnings: int
    untold: int  # findings beyond what is told
    unchecked: tuple[str, ...]  # sentences

    def plus(self, other: Total) -> Total:
        """Of both."""
        return Total(
            self.processes + other.processes,
            self.calls + other.calls,
            self.errors + other.errors,
            self.warnings + other.warnings,
            self.untold + other.untold,
            tuple(dict.fromkeys((*self.unchecked, *other.unchecked))),
        )

    def line(self) -> str:
        """ "no errors in 4 processes, 1,204 calls"."""
        found = [
            words.counted(number, noun)
            for number, noun in ((self.errors, "error"), (self.warnings, "warning"))
            if number
        ]
        told = ", ".join(found) or "no errors"
        processes = words.counted(self.processes, "process", "processes")
        calls = f"{self.calls:,} call{'' if self.calls == 1 else 's'}"
        more = f" ({self.untold} more not told)" if self.untold else ""
        return f"{told}{more} in {processes}, {calls}"


NOTHING = Total(0, 0, 0, 0, 0, ())


class Collected:
    """Findings, and what was not checked."""

    def __init__(self) -> None:
        self.errors = self.warnings = self.untold = 0
        self.unchecked: dict[str, None] = {}
        self._known: set[object] = set()
        self._at: Counter[object] = Counter()

    def new(
        self,
        findings: Iterable[Finding],
        where: Where,
        label: Label,
        more: Callable[[Finding, dict[str, Any]], None] | None = None,
    ) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The blocks of those that were not found before, and each as records for machines.

        `more` adds to a record what only a report shows.
        """
        fresh = []
        for finding in findings:
            key = _of_one(finding, where, label)
            if key not in self._known:
                self._known.add(key)
                fresh.append(finding)
        for folded in report.folded(fresh, where):
            finding = folded.finding
            place = _place(finding, where)
            told = self.errors + self.warnings
            if self._at[place] >= MOST_AT_A_PLACE or told >= MOST:
                self.untold += 1
                continue
            self._at[place] += 1
            self.count(finding.rule.severity)
            text = "\n".join(report.text(folded, where, label))
            record = {**_record(folded, where, label), "text": text}
            if more is not None:
                more(finding, record)
            yield text, [record]

    def count(self, severity: str) -> None:
        """One more is told."""
        if severity == "error":
            self.errors += 1
        else:
            self.warnings += 1

    def total(self, processes: int, calls: int) -> Total:
        """What is said at the end."""
        unchecked = tuple(self.unchecked)
        return Total(processes, calls, self.errors, self.warnings, self.untold, unchecked)


def _record(folded: report.Folded, where: Where, label: Label) -> dict[str, Any]:
    # For machines, with all the processes that it is of.
    record = report.record(folded.finding, where, label)
    for number, party in enumerate(record["parties"]):
        of = sorted({processes[number] for processes in folded.processes})
        party["process"] = label(*of)
    return record


def _of_one(finding: Finding, where: Where, label: Label) -> object:
    # The same finding of the same processes, at another time.
    what = _NUMBERS.sub("", finding.what)
    return (
        finding.rule.id,
        what,
        tuple(label(p.process) for p in finding.parties),
        _place(finding, where),
    )


def _place(finding: Finding, where: Where) -> object:
    return finding.rule.id, tuple(tuple(where(party)) for party in finding.parties)
