# SPDX-License-Identifier: MIT
"""Findings as text, those that differ only by rank together, and as records for machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mpipp.checks.finding import Finding, Party

Where = Callable[[Party], Sequence[str]]  # source lines, innermost first; empty if not known
# Processes by their numbers: "rank 0 (inferior 1)", "ranks 0 to 3 (inferiors 1 to 4)"; "" where
# only one is checked.
Label = Callable[..., str]

# Ranks that do the same differ in numbers: addresses, elements, peers, threads, how often. These
# are left out, with what depends on them: lists of them, plurals, the index that a first element
# has not, and lines that are there if there are several.
_OF_A_RANK = (
    (re.compile(r"^and \d+ (?:more|others?) at the same places?\n?", re.MULTILINE), ""),
    (re.compile(r", (?:remote_)?world_ranks = {[^}]*}"), ""),
    (re.compile(r"(?<![\w.])-?(?:0x[0-9a-f]+|\d+(?:,\d{3})*(?:\.\d+)?)(?!\w)"), "N"),
    (re.compile(r"\bN(?:(?:,| to| and) N)+"), "N"),
    (re.compile(r"\[N\]"), ""),
    (re.compile(r"\b(\w+?)s?( N)\b"), r"\1\2"),
    (re.compile(r"\b(N \w+?)s?\b"), r"\1"),
)


@dataclass
class Folded:
    """A finding, and those of other ranks that say the same."""

    finding: Finding
    processes: list[tuple[int, ...]]  # of each: those of its parties
    differ: bool  # in what is shown of the first


def folded(findings: Iterable[Finding], where: Where) -> list[Folded]:
    """Findings that differ only by rank as one, in the order of the first."""
    result: list[Folded] = []
    known: dict[object, list[Folded]] = {}
    for finding in findings:
        processes = tuple(party.process for party in finding.parties)
        key = alike(finding, where)
        # Of one process, they are several.
        groups = known.setdefault(key, [])
        free = [one for one in groups if processes not in one.processes]
        group = min(free, key=lambda one: _shown(one.finding) != _shown(finding), default=None)
        if group is None:
            groups.append(Folded(finding, [processes], False))
            result.append(groups[-1])
        else:
            group.processes.append(processes)
            group.differ = group.differ or _shown(group.finding) != _shown(finding)
    return result


def alike(finding: Finding, where: Where) -> object:
    """What findings that are folded have in common; its `repr` is the same everywhere."""
    numbers = [party.process for party in finding.parties]
    places = tuple((numbers.index(p.process), p.made, tuple(where(p))) for p in finding.parties)
    parties = tuple(replace(p, text=p.of_all or p.text) for p in finding.parties)
    shown = _shown(replace(finding, parties=parties))
    for pattern, instead in _OF_A_RANK:
        shown = pattern.sub(instead, shown)
    return finding.rule.id, shown, places


def _shown(finding: Finding) -> str:
    parties = (line for party in finding.parties for line in (party.text, *party.details))
    return "\n".join((finding.what, finding.demanded, finding.advice, finding.follows, *parties))


def text(folded: Folded, where: Where, label: Label) -> Iterator[str]:
    """The lines of a report."""
    finding = folded.finding
    yield f"{finding.rule.severity}: {finding.what}"
    for number, party in enumerate(finding.parties):
        name = label(*sorted({processes[number] for processes in folded.processes}))
        yield f"  {name}{': ' if name else ''}{party.text}"
        calls = where(party)
        if calls:
            yield f"    {party.made} {calls[0]}"
        yield from (f"    from {call}" for call in calls[1:])
        yield from (f"    {detail}" for detail in party.details)
    if folded.differ:
        yield f"  shown as in {label(*sorted(set(folded.processes[0])))}"
    if finding.follows:
        yield f"  may follow from: {finding.follows}"
    yield f"  rule: {finding.demanded}"
    yield f"  to do: {finding.advice}"
    if finding.rule.must:
        yield f"  MUST: {finding.rule.must}"


def record(finding: Finding, where: Where, label: Label) -> dict[str, Any]:
    """A finding for machines, of its own ranks only; the schema stands in docs/json.md."""
    return {
        "check": finding.rule.check,
        "id": finding.rule.id,
        "severity": finding.rule.severity,
        "what": finding.what,
        "parties": [
            {
                "process": label(party.process),
                "text": party.text,
                "where": list(where(party)),
                "details": list(party.details),
            }
            for party in finding.parties
        ],
        "rule": finding.demanded,
        "advice": finding.advice,
        "must": finding.rule.must,
        "follows": finding.follows,
    }
