# SPDX-License-Identifier: MIT
"""The evidence that a report shows beside the text of a finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.findings.rma_timeline import Lifelines
from mpipp.common.errors import MpippError
from mpipp.model import Site
from mpipp.reports.call_timeline import timeline
from mpipp.reports.evidence import Taking
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.output.finding_filter import Label


class Pictures:
    """Draws pictures of findings while the records exist, and the sources match the program.

    Args:
        frames: returns the frames of a call site, by the index of its process.
    """

    def __init__(
        self,
        processes: Sequence[Process],
        frames: Callable[[int, Site], list[Frame]],
        label: Label,
        taking: Taking,
    ) -> None:
        self._processes = processes
        self._frames = frames
        self._label = label
        self._taking = taking

    def add(self, finding: Finding, record: dict[str, Any]) -> None:
        """Add to a finding's record the members that docs/reference/json.md describes for a run."""
        for party, words in zip(finding.parties, record["parties"]):
            words.update(self._party(party))
        record["timeline"] = timeline(finding, self._processes, self._place, self._label)
        if finding.lifelines is not None:
            record["lifelines"] = self._lifelines(finding.lifelines)

    def _lifelines(self, of: Lifelines) -> dict[str, Any]:
        lanes = list(dict.fromkeys(point.process for point in of.points))
        points = [
            {
                "lane": lanes.index(point.process),
                "call": point.call,
                "place": next((f.text for f in self._frames(point.process, point.site)), ""),
                "text": point.text,
            }
            for point in of.points
        ]
        spans = {"epochs": of.epochs, "pending": of.pending, "edges": of.edges}
        return {
            "lanes": [self._label(number) for number in lanes],
            "points": points,
            **{name: [{"from": a, "to": b} for a, b in both] for name, both in spans.items()},
            "missing": {"from": of.missing[0], "to": of.missing[1]},
            "why": of.why,
            "wanted": of.wanted,
        }

    def _party(self, party: Party) -> dict[str, Any]:
        try:
            drawn = self._taking.buffers(party.evidence)
        except MpippError:  # the checks report damaged records
            drawn = []
        starting = party.starting
        return {
            "made": party.place_label,
            "frames": self._places(party),
            "started_frames": self._places(starting) if starting is not None else [],
            "buffers": drawn,
        }

    def _places(self, party: Party) -> list[dict[str, Any]]:
        frames = self._frames(party.process, party.site)
        return [self._taking.sources.record(frame) for frame in frames]

    def _place(self, process: Process, site: Site) -> str:
        return next((frame.text for frame in self._frames(process.number, site)), "")
