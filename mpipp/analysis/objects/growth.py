# SPDX-License-Identifier: MIT
"""Search for places that create growing numbers of objects, and never free one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.common.errors import MpippError
from mpipp.model import KINDS, Broken, Header, Site
from mpipp.render.phrases import Phrase, Varies

MANY = 1000  # objects created at one place
_MOST = 100_000  # records of a kind: more take long to read, and were reported before
_NOUNS = {"comm": "communicator", "win": "window", "op": "operation", "info": "info object"}
_NOUNS["errhandler"] = "error handler"
_KEYVAL = "attribute key"
_NOT_MADE = frozenset({"predefined", "null", "imported"})


class Made(NamedTuple):
    """The objects of a kind, or the attribute keys, from one place.

    Attributes:
        record: record of the first object; 0 for attribute keys.
    """

    kind: str
    site: Site
    number: int
    record: int

    @property
    def text(self) -> str:
        """The number with its noun: "2,045 communicators"."""
        noun = _NOUNS.get(self.kind, self.kind)
        return f"{self.number:,} {noun}{'' if self.number == 1 else 's'}"


def many(process: Process, kinds: Sequence[str] = KINDS) -> list[Made]:
    """Return the places that created many objects and freed none, the largest number first."""
    found: list[Made] = []
    for kind in kinds:
        if MANY <= process.registry.record_count(kind) <= _MOST:
            found += (made for made in _by_site(process, kind) if made.number >= MANY)
    found += (
        Made(_KEYVAL, one.site, one.made, 0)
        for one in process.registry.keyval_places()
        if one.made >= MANY and not one.freed
    )
    return sorted(found, key=lambda made: -made.number)


def _by_site(process: Process, kind: str) -> Iterator[Made]:
    counts: dict[Site, int] = {}
    first: dict[Site, int] = {}
    freed: set[Site] = set()
    for header in process.registry.headers(kind, ended=True):
        if not isinstance(header, Header) or not _NOT_MADE.isdisjoint(header.flags):
            continue
        if header.is_ended:
            freed.add(header.site)
            continue
        counts[header.site] = counts.get(header.site, 0) + 1
        first.setdefault(header.site, header.record)
    for site, count in counts.items():
        if site.address and site not in freed:
            yield Made(kind, site, count, first[site])


def growing(process: Process, made: Made, rate: float) -> Finding | None:
    """Return the finding for a place; None if its first object no longer exists.

    Args:
        rate: new objects each second.
    """
    party = _party(process, made)
    if party is None:
        return None
    more = Phrase.of("{more_text} more each second", more_text=f"{rate:,.0f}")
    party = party.with_details(Phrase(more.template, more.facts, Varies.RANKS))
    return Finding.of("growth", [party], made_text=made.text)


def _party(process: Process, made: Made) -> Party | None:
    if not made.record:
        subject = Phrase.of("the {noun}s", noun=made.kind)
        return Party(process.number, subject, "made at", made.site)
    found = process.registry.at(made.kind, made.record)
    return None if isinstance(found, Broken) else process.object_party(found)


def parties(process: Process) -> list[Party]:
    """Return the places found by `many`, as parties of a finding about a dead process."""
    try:
        found = many(process)
    except MpippError:
        return []
    subjects = [Phrase.of("{made_text} exist", made_text=one.text) for one in found]
    return [
        Party(process.number, subject, "made at", one.site, is_wrong=False)
        for subject, one in zip(subjects, found)
    ]
