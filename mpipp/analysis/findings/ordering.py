# SPDX-License-Identifier: MIT
"""Findings of which another is the cause come after it, and say so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mpipp.analysis.findings.finding import Finding
from mpipp.render.phrases import Phrase

# Rules, each with those whose findings about the same call are the cause of its own.
_CAUSES = {
    "root-mismatch": ("no-such-root",),
    "root-group-mismatch": ("no-such-root",),
    "aliased-buffers": ("unmapped-buffer",),
    "written-twice": ("unmapped-buffer",),
    "written-while-read": ("unmapped-buffer",),
}


def ordered(findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, each directly followed by its consequences."""
    known = list(findings)
    following: dict[int, list[Finding]] = {}
    first = []
    for one in known:
        causes = _CAUSES.get(one.rule.id, ())
        cause = next((c for c in known if c.rule.id in causes and _calls(c) & _calls(one)), None)
        if cause is None:
            first.append(one)
        else:
            following.setdefault(id(cause), []).append(replace(one, follows=cause.what))
    for one in first:
        yield one
        yield from following.get(id(one), [])


def _calls(finding: Finding) -> set[tuple[int, Phrase]]:
    return {(party.process, party.subject) for party in finding.parties}
