# SPDX-License-Identifier: MIT
"""Report findings with their pictures, without repetitions, and list unchecked things."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any, Union

from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.rules import selection
from mpipp.analysis.rules.rule import ERROR
from mpipp.common.errors import MpippError
from mpipp.model import PythonLine, Site
from mpipp.render.phrases import Phrase
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.output.channel import Output
from mpipp.watcher.output.finding_filter import FindingCollection, Label, More
from mpipp.watcher.output.not_checked import unseen
from mpipp.watcher.processes.collective_comparison import ReportedCalls
from mpipp.watcher.processes.labels import ShownProcess, View
from mpipp.watcher.processes.process import RUNNING, WatchedProcess, marked, operations
from mpipp.watcher.settings import Settings

# Errors by which MPI writes outside the buffer.
_OF_DAMAGE = ("beyond-object", "short-argument", "displacement-overflow")
_Place = Union[int, PythonLine]


def _place(site: Site) -> _Place:
    # All calls of a Python program return to the same addresses.
    return site.python or site.address


class Reporter:
    """Writes findings to `output`, and counts findings and failed checks in `collected`."""

    def __init__(self, output: Output, settings: Settings, collected: FindingCollection) -> None:
        self.collected = collected
        self.before = ReportedCalls()  # findings of all checks except those of resting processes
        self._output = output
        self._settings = settings
        self._made = selection.merged([settings.checks])
        # Calls with a reported error, as process and place.
        self._wrong: set[tuple[ShownProcess, _Place]] = set()
        # The calls of `_wrong` whose errors are selected and not suppressed.
        self._reported: set[tuple[ShownProcess, _Place]] = set()
        # The calls of `_reported` that let MPI write the same memory for two operations.
        self._written_twice: set[tuple[ShownProcess, _Place]] = set()
        # For each process, the first reported error by which MPI may have overwritten other memory.
        self._damage: dict[ShownProcess, Phrase] = {}
        self._taking: Any = None  # created at the first finding

    def report(self, of: Sequence[ShownProcess], found: Iterable[Finding], line: str = "") -> bool:
        """Report findings, with `line` added to each. Returns whether any is new."""
        view, any_new, found = View(of), False, list(found)
        known = view.where, view.label, view.frames, view.world, view.rank
        for one in found:
            if one.rule.severity == ERROR:
                at = {(of[party.process], _place(party.site)) for party in one.placed}
                self._wrong |= at
                if self._is_reported(one, view):
                    self._reported |= at
                    if one.rule.id == "written-twice":
                        self._written_twice |= at
                    self._note_damage(one, of)
        fresh = []
        for one in found:
            if self._is_explained(one, of):
                continue
            if self.before.has(one, view.where):
                self.collected.note(one, view.where, view.label)
            else:
                fresh.append(one)
        try:
            for text, told in self.collected.new(fresh, *known, self.pictured(of, view.label)):
                self._output.block(f"{text}\n{line}" if line else text, told)
                any_new = True
        except MpippError as error:
            self.note_not_checked(str(error))
        return any_new

    def _note_damage(self, one: Finding, of: Sequence[ShownProcess]) -> None:
        if one.rule.check not in _OF_DAMAGE:
            return
        for party in one.parties:
            call = party.evidence.call
            if call is not None and any("writes" in buffer.access for buffer in call.buffers):
                self._damage.setdefault(of[party.process], one.what)

    def with_cause(self, one: Finding, of: Sequence[ShownProcess]) -> Finding:
        """Connect a finding about a death to an earlier error of the process that damaged memory.

        Without such an error, return the finding unchanged.
        """
        causes = [self._damage.get(of[party.process]) for party in one.parties[:1]]
        is_death = one.rule.id in ("process-died", "died-late")
        return replace(one, follows=causes[0]) if is_death and causes[0] is not None else one

    def _is_reported(self, one: Finding, view: View) -> bool:
        collected = self.collected
        return collected.is_chosen(one) and not collected.has_suppression(one, view.frames)

    def _is_explained(self, one: Finding, of: Sequence[ShownProcess]) -> bool:
        # Return whether the finding follows from a reported error. The finding is the error code of
        # that call, or MPI has changed the buffer for another operation. A call that completes
        # requests may return the errors of all of them.
        if one.rule.id == "changed-while-pending":
            at = {(of[party.process], _place(party.site)) for party in one.placed}
            return not at.isdisjoint(self._written_twice)
        if one.rule.id != "returned-code":
            return False
        (party,) = one.parties
        procedure = dict(one.what.facts)["procedure"]
        if str(procedure).startswith(("MPI_Wait", "MPI_Test")):
            return any(process is of[party.process] for process, _ in self._reported)
        return (of[party.process], _place(party.site)) in self._reported

    def pictured(self, of: Sequence[ShownProcess], label: Label) -> More:
        """The function that draws the pictures of a finding, if the run keeps pictures."""
        if not self._settings.kept:
            return lambda finding, record: None
        # The drawing module is slow to import.
        from mpipp.reports.evidence import Taking
        from mpipp.watcher.output.evidence_adapter import Pictures

        self._taking = self._taking or Taking()
        for one in of:
            if isinstance(one, WatchedProcess) and one.state == RUNNING:
                with contextlib.suppress(MpippError):
                    one.refresh()
        processes = [one.process(number) for number, one in enumerate(of)]

        def frames(number: int, site: Site) -> list[Frame]:
            return of[number].places.frames(site)

        return Pictures(processes, frames, label, self._taking).add

    def note_not_checked(self, sentence: str) -> None:
        """Remember a sentence on something that was not checked, for the end of the run."""
        self.collected.unchecked[sentence] = None

    def note_failure(self, sentence: str) -> None:
        """Remember a sentence on a check that failed, for the end of the run."""
        self.collected.failures[sentence] = None

    def can_read(self, one: WatchedProcess) -> bool:
        """Return whether the process has called MPI_Init, and its records are readable now."""
        if one.is_left_out:
            return False
        try:
            one.refresh()
            for sentence in unseen(one, self._made):
                self.note_failure(sentence)
            return one.initialized
        except MpippError as error:
            self.note_failure(f"process {one.pid}: {error}")
            return False

    def is_wrong(self, one: WatchedProcess) -> bool:
        """Return whether an error was found in a call that the process is in, or has pending."""
        return self._is_among(one, self._wrong)

    def is_reported(self, one: WatchedProcess) -> bool:
        """Return whether an error in such a call was reported, because it is selected and not
        suppressed."""
        return self._is_among(one, self._reported)

    @staticmethod
    def _is_among(one: WatchedProcess, wrong: Container[tuple[ShownProcess, _Place]]) -> bool:
        process = one.process(0)
        sites = [operation.call.site for operation in operations(process)]
        sites += [call.site for call in marked(process)]
        return any((one, _place(site)) in wrong for site in sites)
