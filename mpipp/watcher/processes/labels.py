# SPDX-License-Identifier: MIT
"""The names and source lines of watched processes in reports."""

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
    """The source lines of a process's calls."""

    def site(self, where: Site) -> list[str]:
        """The source lines of a place."""
        ...

    def frames(self, where: Site) -> list[Frame]:
        """The frames of a call site."""
        ...


class ShownProcess(Protocol):
    """A process of this or another node, with the members that reports use."""

    spawned: int  # the same number as in WatchedProcess

    @property
    def registry(self) -> Records:
        """The records of the process."""
        ...

    @property
    def places(self) -> Places:
        """The source lines of a process's calls."""
        ...

    def process(self, number: int) -> Process:
        """The process in the form that the checks expect."""
        ...


class View:
    """Names of processes in reports, by their index."""

    def __init__(self, watched: Sequence[ShownProcess]) -> None:
        self._watched = watched

    def label(self, *numbers: int) -> str:
        """The name of processes in messages: "rank 0", "ranks 0 to 3"."""
        jobs: dict[int, list[ProcessInfo]] = {}
        for number in numbers:
            one = self._watched[number]
            jobs.setdefault(one.spawned, []).append(one.registry.info)
        told = [f"{names.processes(infos)}{mark(job)}" for job, infos in jobs.items()]
        return wording.listed(told)

    def mark(self, number: int) -> str:
        """The name of a process's job, to write after its rank."""
        return mark(self._watched[number].spawned)

    def rank(self, number: int) -> int | None:
        """A process's rank in MPI_COMM_WORLD; None if it has none."""
        return self._watched[number].registry.info.world_rank

    def world(self, number: int) -> str:
        """The name of the process's MPI_COMM_WORLD, equal in all its processes on all nodes."""
        return self._watched[number].registry.info.world

    def where(self, party: Party) -> list[str]:
        """The source lines of a party, as text."""
        return self._watched[party.process].places.site(party.site)

    def frames(self, party: Party) -> list[Frame]:
        """The source lines of a party, as frames."""
        return self._watched[party.process].places.frames(party.site)

    def place(self, operation: Operation) -> str:
        """The source line of a call."""
        places = self._watched[operation.process.number].places
        return place(places, operation.call.site) or "an unknown place"

    def outside(self, process: Process) -> str:
        """The activity of the first thread of a process that is outside MPI."""
        threads = (one for one in process.registry.threads() if isinstance(one, Thread))
        inside = {one.tid for one in threads if one.is_inside}
        calls = (one for one in process.registry.last_calls() if one.tid not in inside)
        last = next(calls, None)
        if last is None:
            return "computing"
        where = place(self._watched[process.number].places, last.site)
        called = f", called at {where}" if where else ""
        return f"computing after {last.procedure}{called}"


def place(places: Places, where: Site) -> str:
    """The source line of a place, "" if unknown."""
    return header_calls.place([(frame.text, frame.path) for frame in places.frames(where)])
