# SPDX-License-Identifier: MIT
"""Watched processes as reports show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.records_protocol import Records
from mpipp.analysis.deadlock import names
from mpipp.analysis.findings.finding import Party
from mpipp.common.text import wording
from mpipp.model import ProcessInfo, Site, Thread
from mpipp.render import header_calls
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.processes.process import mark


class Places(Protocol):
    """Where a process's calls are."""

    def site(self, where: Site) -> list[str]:
        """The source lines of a place."""
        ...

    def frames(self, where: Site) -> list[Frame]:
        """The same, with what is known of each."""
        ...


class Shown(Protocol):
    """A process of this node, or of another."""

    spawned: int  # as Watched has it

    @property
    def registry(self) -> Records:
        """What it has recorded."""
        ...

    @property
    def places(self) -> Places:
        """Where its calls are."""
        ...

    def process(self, number: int) -> Process:
        """As the checks see it."""
        ...


class View:
    """Some of the processes as reports show them, by their numbers among these."""

    def __init__(self, watched: Sequence[Shown]) -> None:
        self._watched = watched

    def label(self, *numbers: int) -> str:
        """ "rank 0", "ranks 0 to 3"."""
        jobs: dict[int, list[ProcessInfo]] = {}
        for number in numbers:
            one = self._watched[number]
            jobs.setdefault(one.spawned, []).append(one.registry.info)
        told = [f"{names.processes(infos)}{mark(job)}" for job, infos in jobs.items()]
        return wording.listed(told)

    def mark(self, number: int) -> str:
        """What tells a process's job from others."""
        return mark(self._watched[number].spawned)

    def rank(self, number: int) -> int | None:
        """A process's rank in MPI_COMM_WORLD; None: it has none."""
        return self._watched[number].registry.info.world_rank

    def world(self, number: int) -> str:
        """What all processes of its MPI_COMM_WORLD have alike, on all nodes."""
        return self._watched[number].registry.info.world

    def where(self, party: Party) -> list[str]:
        """A party's source lines."""
        return self._watched[party.process].places.site(party.site)

    def frames(self, party: Party) -> list[Frame]:
        """The same, with what is known of each."""
        return self._watched[party.process].places.frames(party.site)

    def place(self, operation: Operation) -> str:
        """The source line of a call."""
        places = self._watched[operation.process.number].places
        return _place(places, operation.call.site) or "a place that is not known"

    def outside(self, process: Process) -> str:
        """What the first thread of a process does that is not in MPI."""
        threads = (one for one in process.registry.threads() if isinstance(one, Thread))
        inside = {one.tid for one in threads if one.is_inside}
        calls = (one for one in process.registry.last_calls() if one.tid not in inside)
        last = next(calls, None)
        if last is None:
            return "computing"
        where = _place(self._watched[process.number].places, last.site)
        place = f", called at {where}" if where else ""
        return f"computing after {last.procedure}{place}"


def _place(places: Places, where: Site) -> str:
    return header_calls.place([(frame.text, frame.path) for frame in places.frames(where)])
