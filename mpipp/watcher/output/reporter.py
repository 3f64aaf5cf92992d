# SPDX-License-Identifier: MIT
"""What a watcher tells: findings with their pictures, each once, and what could not be checked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.rules import selection
from mpipp.common.errors import MpippError
from mpipp.model import Site
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.ipc.settings import Settings
from mpipp.watcher.output.channel import Output
from mpipp.watcher.output.deduplicate import Collected, Label, More
from mpipp.watcher.output.not_checked import unseen
from mpipp.watcher.processes.labels import Shown, View
from mpipp.watcher.processes.process import RUNNING, Watched, marked, operations
from mpipp.watcher.processes.strict_comparison import ReportedCalls


class Reporter:
    """Reports to `output`, and counts in `collected` what it reported and could not check."""

    def __init__(self, output: Output, settings: Settings, collected: Collected) -> None:
        self.collected = collected
        self.before = ReportedCalls()  # by others than the looks at processes at rest
        self._output = output
        self._settings = settings
        self._made = selection.merged([settings.checks])
        # Calls of which an error was told, by their addresses.
        self._wrong: set[tuple[Shown, int]] = set()
        self._taking: Any = None  # once something is found

    def report(self, of: Sequence[Shown], found: Iterable[Finding], line: str = "") -> bool:
        """Report findings, each with the line added; returns whether any is new."""
        view, any_new, found = View(of), False, list(found)
        known = view.where, view.label, view.frames, view.world, view.rank
        parties = (p for one in found if one.rule.severity == "error" for p in one.placed)
        self._wrong.update((of[p.process], p.site.address) for p in parties)
        fresh = []
        for one in found:
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

    def pictured(self, of: Sequence[Shown], label: Label) -> More:
        """What takes the pictures of a finding, where they are kept."""
        if not self._settings.kept:
            return lambda finding, record: None
        # Drawing takes some time to load.
        from mpipp.reports.evidence import Taking
        from mpipp.watcher.output.evidence_adapter import Pictures

        self._taking = self._taking or Taking()
        for one in of:
            if isinstance(one, Watched) and one.state == RUNNING:
                with contextlib.suppress(MpippError):
                    one.refresh()
        processes = [one.process(number) for number, one in enumerate(of)]

        def frames(number: int, site: Site) -> list[Frame]:
            return of[number].places.frames(site)

        return Pictures(processes, frames, label, self._taking).add

    def note_not_checked(self, sentence: str) -> None:
        """Note at the end of the run what was not checked."""
        self.collected.unchecked[sentence] = None

    def note_failure(self, sentence: str) -> None:
        """Note at the end of the run a check that failed and would have been made otherwise."""
        self.collected.lost[sentence] = None

    def can_read(self, one: Watched) -> bool:
        """Whether the process has called MPI_Init, and its records can be read as they are now."""
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

    def is_wrong(self, one: Watched) -> bool:
        """Whether an error was told of a call that the process is in, or has pending."""
        process = one.process(0)
        sites = [operation.call.site for operation in operations(process)]
        sites += [call.site for call in marked(process)]
        return any((one, site.address) in self._wrong for site in sites)
