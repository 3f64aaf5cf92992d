# SPDX-License-Identifier: MIT
"""What a run has found so far: each place once, however many processes and looks find it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.checks import report
from mpipp.checks.finding import Finding, Party
from mpipp.checks.hangs import words
from mpipp.checks.rules.chosen import is_told
from mpipp.reports.directory import Guarded, Provoked
from mpipp.reports.sources import Frame
from mpipp.reports.suppressions import Suppressions

MOST_AT_A_PLACE = 20
MOST = 200

_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")

_NONE = Suppressions()

Where = Callable[[Party], list[str]]
Label = Callable[..., str]
More = Callable[[Finding, dict[str, Any]], None]


class Total(NamedTuple):
    """What a watcher says at its end; those of several nodes are added."""

    processes: int
    calls: int
    errors: int
    warnings: int
    untold: int  # findings beyond what is told
    unchecked: tuple[str, ...]  # sentences
    suppressed: tuple[tuple[str, int], ...] = ()  # reasons, each with how many findings it has
    questions: int = 0  # calls that a watcher was asked about
    covered: tuple[Guarded, ...] = ()  # in runs that guard buffers
    provoked: tuple[Provoked, ...] = ()
    in_valgrind: bool = False  # which tells of errors, too

    def plus(self, other: Total) -> Total:
        """Of both."""
        return Total(
            self.processes + other.processes,
            self.calls + other.calls,
            self.errors + other.errors,
            self.warnings + other.warnings,
            self.untold + other.untold,
            tuple(dict.fromkeys((*self.unchecked, *other.unchecked))),
            _added(self.suppressed, other.suppressed),
            self.questions + other.questions,
            covered((*self.covered, *other.covered)),
            provoked((*self.provoked, *other.provoked)),
            self.in_valgrind or other.in_valgrind,
        )

    def remarks(self) -> Iterator[str]:
        """What is said before the last line."""
        yield from (f"not checked: {sentence}" for sentence in self.unchecked)
        if self.suppressed:
            count = sum(number for _, number in self.suppressed)
            reasons = ", ".join(f"{reason} ({number})" for reason, number in self.suppressed)
            yield f"{count} suppressed: {reasons}"

    def line(self) -> str:
        """ "no errors in 4 processes, 1,204 calls"."""
        found = [
            words.counted(number, noun)
            for number, noun in ((self.errors, "error"), (self.warnings, "warning"))
            if number
        ]
        told = ", ".join(found) or "no errors"
        told += " beside valgrind's" * self.in_valgrind
        processes = words.counted(self.processes, "process", "processes")
        calls = f"{self.calls:,} call{'' if self.calls == 1 else 's'}"
        if self.questions:
            calls += f", {words.counted(self.questions, 'question')}"
        more = f" ({self.untold} more not told)" if self.untold else ""
        return f"{told}{more} in {processes}, {calls}"


def _added(*of: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    found: Counter[str] = Counter()
    for reason, number in (one for each in of for one in each):
        found[reason] += number
    return tuple(found.items())


def covered(rows: Iterable[Sequence[Any]]) -> tuple[Guarded, ...]:
    """One row for each call, with what all of them count."""
    found: dict[tuple[str, str], list[int]] = {}
    for place, procedure, *counts in rows:
        known = found.setdefault((place, procedure), [0] * len(counts))
        found[place, procedure] = [one + other for one, other in zip(known, counts)]
    return tuple(Guarded(*names, *counts) for names, counts in sorted(found.items()))


def provoked(rows: Iterable[Sequence[Any]]) -> tuple[Provoked, ...]:
    """One row for each place and what was done there, of all processes."""
    found: dict[tuple[str, ...], Provoked] = {}
    for row in map(Provoked.of, rows):
        known = found.get(row[:5])
        if known is not None:
            row = row._replace(
                ranks=tuple(sorted({*known.ranks, *row.ranks})),
                times=known.times + row.times,
                least=min(known.least, row.least),
                most=max(known.most, row.most),
            )
        found[row[:5]] = row
    return tuple(sorted(found.values()))


NOTHING = Total(0, 0, 0, 0, 0, ())


class Collected:
    """Findings, and what was not checked.

    Args:
        chosen: the words of the checks whose findings are told; None: all.
    """

    def __init__(
        self, suppressions: Suppressions = _NONE, chosen: Collection[str] | None = None
    ) -> None:
        self._chosen = chosen
        self.errors = self.warnings = self.untold = self.questions = 0
        self.suppressed: Counter[str] = Counter()
        self._suppressions = suppressions
        self.unchecked: dict[str, None] = {}
        self._known: set[object] = set()
        self._at: Counter[object] = Counter()

    def new(
        self,
        findings: Iterable[Finding],
        where: Where,
        label: Label,
        frames: Callable[[Party], Sequence[Frame]] = lambda party: (),
        more: More = lambda finding, record: None,
    ) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The blocks of those that were not found before, and each as records for machines.

        Args:
            frames: a party's places, for suppressions.
            more: adds to a record what only a report shows.
        """
        fresh = []
        for finding in filter(self.is_chosen, findings):
            key = _of_one(finding, where, label)
            if key not in self._known:
                self._known.add(key)
                fresh.append(finding)
        for folded in report.folded(fresh, where):
            finding = folded.finding
            places = [frame for party in finding.parties for frame in frames(party)]
            if self.is_suppressed((finding.rule.check, finding.rule.id), places):
                continue
            place = _place(finding, where)
            told = self.errors + self.warnings
            if self._at[place] >= MOST_AT_A_PLACE or told >= MOST:
                self.untold += 1
                continue
            self._at[place] += 1
            self.count(finding.rule.severity)
            text = "\n".join(report.text(folded, where, label))
            record = {**_record(folded, where, label), "text": text}
            more(finding, record)
            yield text, [record]

    def is_chosen(self, finding: Finding) -> bool:
        """Whether its check is one of those that are to be made."""
        return self._chosen is None or is_told(finding.rule, self._chosen)

    def is_known(self, finding: Finding, frames: Callable[[Party], Sequence[Frame]]) -> bool:
        """Whether it is suppressed; it is not counted."""
        places = [frame for party in finding.parties for frame in frames(party)]
        names = (finding.rule.check, finding.rule.id)
        return bool(self._suppressions.reason(names, places))

    def is_suppressed(self, names: Sequence[str], places: Sequence[Frame]) -> bool:
        """Whether a finding of a rule with these names is known; it is counted then."""
        reason = self._suppressions.reason(names, places)
        if reason:
            self.suppressed[reason] += 1
        return bool(reason)

    def count(self, severity: str) -> None:
        """One more is told."""
        if severity == "error":
            self.errors += 1
        else:
            self.warnings += 1

    def total(self, processes: int, calls: int) -> Total:
        """What is said at the end."""
        unchecked = tuple(self.unchecked)
        return Total(
            processes,
            calls,
            self.errors,
            self.warnings,
            self.untold,
            unchecked,
            tuple(self.suppressed.items()),
            self.questions,
        )


def _record(folded: report.Folded, where: Where, label: Label) -> dict[str, Any]:
    # For machines, with all the processes that it is of.
    record = report.record(folded.finding, where, label)
    for number, party in enumerate(record["parties"]):
        of = sorted({processes[number] for processes in folded.processes})
        party["process"] = label(*of)
        call = folded.finding.parties[number].evidence.call
        party["ordinal"] = call.ordinal if call is not None else None
    return record


def _of_one(finding: Finding, where: Where, label: Label) -> object:
    # The same finding of the same processes, at another time, and with its parties in any order.
    what = sorted(_NUMBERS.sub("", finding.what).split())
    parties = sorted((label(p.process), tuple(where(p))) for p in finding.parties)
    return finding.rule.id, tuple(what), tuple(parties)


def _place(finding: Finding, where: Where) -> object:
    return finding.rule.id, tuple(sorted(tuple(where(party)) for party in finding.parties))
