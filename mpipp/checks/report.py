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

# What may differ between ranks that do the same: addresses, also in windows, serial numbers, peers,
# threads, and how often.
_OF_A_RANK = re.compile(
    r"0x[0-9a-f]+|#\d+|(?<=\bdest = )\d+|(?<=\bsource = )\d+|(?<=\brank )\d+|(?<=\brank = )\d+"
    r"|(?<=\bcoords = ){[^}]*}|(?<=\btarget_rank = )\d+|(?<=\(ranks )[\d, ]+|\d+(?= of the window)"
    r"|(?<=\btarget_disp = )-?\d+|(?<=^and )\d+(?= more at the same places$)"
    r"|, (?:remote_)?world_ranks = {[^}]*}|(?<=\bin thread )\d+",
    re.MULTILINE,
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
        group = next((g for g in groups if processes not in g.processes), None)
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
    places = tuple((numbers.index(p.process), p.made, tuple(where(p))) for p in finding.placed)
    parties = tuple(replace(p, text=p.of_all or p.text) for p in finding.parties)
    return finding.rule.id, _OF_A_RANK.sub("", _shown(replace(finding, parties=parties))), places


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
        yield from _started(party, where)
        yield from (f"    {detail}" for detail in party.details)
    if folded.differ:
        yield f"  shown as in {label(*sorted(set(folded.processes[0])))}"
    if finding.follows:
        yield f"  may follow from: {finding.follows}"
    yield f"  rule: {finding.demanded}"
    yield f"  to do: {finding.advice}"
    if finding.rule.must:
        yield f"  MUST: {finding.rule.must}"


def started(party: Party, where: Where) -> dict[str, Any] | None:
    """The call that started a party's operation, for machines; None if there is none."""
    starting = party.starting
    if starting is None:
        return None
    return {"procedure": starting.text, "where": list(where(starting))}


def _started(party: Party, where: Where) -> Iterator[str]:
    starting = party.starting
    calls = where(starting) if starting is not None else ()
    if starting is not None and calls:
        yield f"    {starting.made} {calls[0]}"
        yield from (f"    from {call}" for call in calls[1:])


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
                "started": started(party, where),
                "details": list(party.details),
            }
            for party in finding.parties
        ],
        "rule": finding.demanded,
        "advice": finding.advice,
        "must": finding.rule.must,
        "follows": finding.follows,
    }
