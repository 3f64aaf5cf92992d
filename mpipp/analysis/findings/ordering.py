# SPDX-License-Identifier: MIT
"""Order of findings: a consequence comes after its cause, and refers to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mpipp.analysis.findings.finding import Finding
from mpipp.render.phrases import Phrase

# For each rule, the rules whose findings about the same call are a cause of its findings.
_CAUSES = {
    "root-mismatch": ("no-such-root",),
    "root-group-mismatch": ("no-such-root",),
    "aliased-buffers": ("unmapped-buffer",),
    "written-twice": ("unmapped-buffer",),
    "written-while-read": ("unmapped-buffer",),
}


def ordered(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings, each directly followed by its consequences."""
    known = list(findings)
    causes = _causes_by_call(known)
    following: dict[int, list[Finding]] = {}
    first = []
    for one in known:
        rules = _CAUSES.get(one.rule.id, ())
        found = [
            causes[at] for rule in rules for call in _calls(one) if (at := (rule, call)) in causes
        ]
        cause = known[min(found)] if found else None
        if cause is None:
            first.append(one)
        else:
            following.setdefault(id(cause), []).append(replace(one, follows=cause.what))
    for one in first:
        yield one
        yield from following.get(id(one), [])


def _causes_by_call(known: Sequence[Finding]) -> dict[object, int]:
    # The indices of possible causes, by rule and call: there may be very many findings.
    found: dict[object, int] = {}
    rules = {rule for causes in _CAUSES.values() for rule in causes}
    for place, one in enumerate(known):
        for call in _calls(one) if one.rule.id in rules else ():
            found.setdefault((one.rule.id, call), place)
    return found


def _calls(finding: Finding) -> set[tuple[int, Phrase]]:
    return {(party.process, party.subject) for party in finding.parties}
