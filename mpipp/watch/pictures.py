# SPDX-License-Identifier: MIT
"""What a report shows of the findings of some watched processes, beside their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpipp.checks.finding import Finding, Party
from mpipp.checks.process import Process
from mpipp.errors import MpippError
from mpipp.model import Site
from mpipp.reports import evidence
from mpipp.reports.sources import Sources
from mpipp.reports.timeline import timeline
from mpipp.watch.report import Label
from mpipp.watch.watched import Watched


class Pictures:
    """Taken while the records are there, and the source is that of the program."""

    def __init__(self, watched: Sequence[Watched], label: Label, sources: Sources) -> None:
        self._watched = watched
        self._processes = [one.process(number) for number, one in enumerate(watched)]
        self._label = label
        self._sources = sources

    def add(self, finding: Finding, record: dict[str, Any]) -> None:
        """Add to a finding's record what docs/json.md says of a run's."""
        for party, words in zip(finding.parties, record["parties"]):
            words.update(self._party(party))
        record["timeline"] = timeline(finding, self._processes, self._place, self._label)

    def _party(self, party: Party) -> dict[str, Any]:
        frames = self._watched[party.process].places.frames(party.site)
        try:
            drawn = evidence.buffers(party.evidence)
        except MpippError:  # of records that make no sense the checks tell
            drawn = []
        places = [self._sources.record(frame) for frame in frames]
        return {"made": party.made, "frames": places, "buffers": drawn}

    def _place(self, process: Process, site: Site) -> str:
        return next(iter(self._watched[process.number].places.site(site)), "")
