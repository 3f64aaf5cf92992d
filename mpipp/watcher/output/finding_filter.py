# SPDX-License-Identifier: MIT
"""The findings of a run, without repetitions at one place by other processes or checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.findings.formatting import Rank
from mpipp.analysis.rules.rule import ERROR, WARNING
from mpipp.analysis.rules.selection import is_reported, words
from mpipp.render.phrases import Varies
from mpipp.reports.suppressions import Suppressions
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.output.finding_blocks import ALIKE, MOST, MOST_AT_A_PLACE, place
from mpipp.watcher.output.totals import Total

_NONE = Suppressions()

Where = Callable[[Party], list[str]]
Label = Callable[..., str]
More = Callable[[Finding, dict[str, Any]], None]


class FindingCollection:
    """The findings of a run, and the list of unchecked things.

    Args:
        chosen: the names of the checks whose findings are reported; None for all of `--check`.
    """

    def __init__(
        self, suppressions: Suppressions = _NONE, chosen: Collection[str] | None = None
    ) -> None:
        self._chosen = words("") if chosen is None else chosen
        self.errors = self.warnings = self.unreported = self.queries = 0
        self.suppressed: Counter[str] = Counter()
        self._suppressions = suppressions
        self.unchecked: dict[str, None] = {}
        self.failures: dict[str, None] = {}  # sentences on checks that failed, in order
        self.found: dict[str, None] = {}  # fingerprints of all findings, in order
        self._known: set[object] = set()
        self._at: Counter[object] = Counter()
        self._reported: set[object] = set()  # keys of reported errors

    def new(
        self,
        findings: Iterable[Finding],
        where: Where,
        label: Label,
        frames: Callable[[Party], Sequence[Frame]] = lambda party: (),
        world: Callable[[int], str] = lambda number: "",
        rank: Rank = lambda number: None,
        more: More = lambda finding, record: None,
    ) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """The blocks of new findings, as text and as records for JSON.

        Args:
            frames: returns the call stack of a party, for suppressions.
            world, rank: return a process's MPI_COMM_WORLD, equal on all nodes, and its rank there.
            more: adds to a record the data that only a report shows.
        """
        fresh = []
        for finding in filter(self.is_chosen, findings):
            key = formatting.identity(finding, where, label)
            if key not in self._known:
                self._known.add(key)
                self.note(finding, where, label)
                fresh.append(finding)
        for folded in formatting.folded(fresh, where):
            finding = folded.finding
            places = [frame for party in finding.placed for frame in frames(party)]
            if self.is_suppressed((finding.rule.check, finding.rule.id), places):
                continue
            cause = finding.follows
            if cause is not None and cause.key(Varies.LOOKS) not in self._reported:
                folded.finding = finding = replace(finding, follows=None)
            record = _record(folded, where, label, rank, frames)
            at = place(record)
            told = self.errors + self.warnings
            if self._at[at] >= MOST_AT_A_PLACE or told >= MOST:
                self.unreported += 1
                continue
            self._at[at] += 1
            self._reported.add(finding.what.key(Varies.LOOKS))
            self.count(finding.severity)
            record.update(_common_record(folded, where, world, rank))
            more(finding, record)
            yield record["text"], [record]

    def note(self, finding: Finding, where: Where, label: Label) -> None:
        """Store a finding's fingerprint with its ranks, and that without them, even if it is not
        reported."""
        self.found[formatting.fingerprint(finding, where, label)] = None
        self.found[formatting.fingerprint(finding, where)] = None

    def is_chosen(self, finding: Finding) -> bool:
        """Return whether the user selected the check of the finding."""
        return is_reported(finding.rule, self._chosen)

    def has_suppression(self, finding: Finding, frames: Callable[[Party], Sequence[Frame]]) -> bool:
        """Return whether a suppression matches the finding, without counting it."""
        places = [frame for party in finding.placed for frame in frames(party)]
        names = (finding.rule.check, finding.rule.id)
        return bool(self._suppressions.reason(names, places))

    def is_suppressed(self, names: Sequence[str], places: Sequence[Frame]) -> bool:
        """Return whether a suppression matches these names and places. If so, count the suppression
        as used."""
        reason = self._suppressions.reason(names, places)
        if reason:
            self.suppressed[reason] += 1
        return bool(reason)

    def count(self, severity: str) -> None:
        """Count one more report. Remarks are not counted."""
        if severity == ERROR:
            self.errors += 1
        elif severity == WARNING:
            self.warnings += 1

    def total(self, processes: int, calls: int) -> Total:
        """The total at the end."""
        unchecked = tuple(self.unchecked)
        return Total(
            processes,
            calls,
            self.errors,
            self.warnings,
            self.unreported,
            unchecked,
            tuple(self.suppressed.items()),
            self.queries,
            failures=tuple(self.failures),
            found=tuple(self.found),
        )


def _record(
    folded: formatting.Folded, where: Where, label: Label, rank: Rank, frames: formatting.Frames
) -> dict[str, Any]:
    record = formatting.record(folded, where, label, rank, frames)
    for number, party in enumerate(record["parties"]):
        call = folded.finding.parties[number].evidence.call
        party["ordinal"] = call.ordinal if call is not None else None
    return record


def _common_record(
    folded: formatting.Folded, where: Where, world: Callable[[int], str], rank: Rank
) -> dict[str, Any]:
    # The facts by which nodes recognize the same finding, if all its processes have ranks.
    ranks = [[rank(one) for one in of] for of in folded.processes]
    if any(None in of for of in ranks):
        return {}
    import hashlib  # slow to import

    worlds = [world(one) for one in folded.processes[0]]
    alike = worlds, formatting.folding_key(folded.finding, where)
    key = hashlib.sha256(repr(alike).encode()).hexdigest()
    return {ALIKE: {"key": key, "ranks": ranks}}
