# SPDX-License-Identifier: MIT
"""What all processes of a run have left in its directory, compared.

The directory has a file for each process in `processes`, with that of its log in `logs`, and one
for each node's watcher in `nodes`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from mpipp.agreement import files, many
from mpipp.agreement.many import Chosen, Team
from mpipp.agreement.saving import PROCESSES, paths
from mpipp.agreement.written import Written
from mpipp.checks import every
from mpipp.checks.finding import Finding, Party
from mpipp.checks.hangs import words
from mpipp.checks.onesided import NotKnown
from mpipp.checks.process import Process
from mpipp.checks.rules import hangs
from mpipp.errors import MpippError
from mpipp.model import Site
from mpipp.reports.sources import Frame
from mpipp.show import wording

_MOST_LOGS = 4 << 30  # bytes that logs have together, which are analysed
_FEW = 64  # processes that are all compared in detail
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+")


class Compared(NamedTuple):
    """What came of it."""

    findings: list[Finding]
    processes: list[Process]
    view: View
    unchecked: list[str]  # sentences


class View:
    """Processes that were read, as reports show them, by their numbers among these."""

    def __init__(self, processes: Sequence[Written]) -> None:
        self._processes = processes

    def label(self, *numbers: int) -> str:
        """ "rank 0", "ranks 0 to 3"."""
        return words.processes([self._processes[number].info for number in numbers])

    def world(self, number: int) -> str:
        """What all processes of its MPI_COMM_WORLD have alike, on all nodes."""
        return self._processes[number].info.world

    def where(self, party: Party) -> list[str]:
        """A party's source lines."""
        return [frame.text for frame in self.frames(party)]

    def frames(self, party: Party) -> list[Frame]:
        """The same, with what is known of each."""
        return self.calls(party.process, party.site)

    def calls(self, number: int, site: Site) -> list[Frame]:
        """Those that a place of a process stands for."""
        return self._processes[number].frames(site)


def compare(directory: str, told: Iterable[str], team: Team | None = None) -> Compared:
    """What is wrong between the processes that have left a file in a run's directory.

    Args:
        told: nodes whose watchers have told what is wrong between their own processes.
        team: who shares the work with this process, and passes the same arguments; the first of
            them is given what is found.
    """
    every = paths(os.path.join(directory, PROCESSES))
    if team is None and len(every) <= _FEW:
        return _compared(directory, told, [_read(path) for path in every], None)
    choice = many.chosen(every, team or many.Alone())
    if team is not None and team.rank:
        return Compared([], [], View([]), [])
    wanted = dict.fromkeys(every if choice.logged else choice.paths, frozenset[int]())
    wanted.update(dict.fromkeys(choice.paths, choice.keys))
    read = [_read(path, keys) for path, keys in wanted.items()]
    return _compared(directory, told, read, choice)


def _read(path: str, keys: Collection[int] | None = None) -> Written | str:
    try:
        return files.read(path, keys)
    except MpippError as error:
        return str(error)


def _compared(
    directory: str, told: Iterable[str], read: Sequence[Written | str], choice: Chosen | None
) -> Compared:
    unchecked = [one for one in read if isinstance(one, str)]
    found = [one for one in read if not isinstance(one, str)]
    concerned = None if choice is None else {*choice.paths}
    found.sort(key=lambda one: (one.info.world_rank or 0, one.node))
    # Those of which logs alone are compared come last, so that the others have the same numbers.
    compared = [one for one in found if concerned is None or one.path in concerned]
    found = [*compared, *(one for one in found if one not in compared)]
    over = choice is not None
    everything = list(_between(compared, unchecked, over))
    known: set[object] = set()
    view = View(found)
    for node in {one.node for one in compared}.intersection(told):
        own = [one for one in compared if one.node == node]
        known.update(_same(finding, View(own)) for finding in _between(own, [], over))
    fresh = [finding for finding in everything if _same(finding, view) not in known]
    if choice is None:
        ranks = {one.info.world_rank for one in found}
        size = max((one.info.world_size or 0 for one in found), default=0)
    else:
        unchecked += choice.unchecked
        ranks, size = {*choice.ranks}, choice.world_size
    missing = sorted(set(range(size)) - ranks)
    if missing:
        has = f"{wording.ranks(missing)} {'has' if len(missing) == 1 else 'have'}"
        unchecked.append(f"{has} left nothing in {directory} to compare: is it of all nodes?")
    fresh += _of_logs(found, {*missing}, unchecked)
    return Compared(fresh, _processes(found), view, list(dict.fromkeys(unchecked)))


def _of_logs(
    found: Sequence[Written], missing: Collection[int], unchecked: list[str]
) -> Iterator[Finding]:
    # What one-sided operations conflict; `missing`: ranks of which that is said already.
    sizes = [one.log.words << 3 for one in found if one.log is not None]
    if sum(sizes) > _MOST_LOGS:
        unchecked.append(
            f"one-sided operations: {len(sizes)} logs have {sum(sizes) >> 20:,} MiB, more than "
            f"{_MOST_LOGS >> 20:,}: MPIPP_RMA_LOG bounds each"
        )
        return

    def failed(process: Process | None, error: MpippError) -> None:
        if isinstance(error, NotKnown) and error.ranks.issubset(missing):
            unchecked.extend(error.others)
        else:
            unchecked.append(str(error))

    yield from every.of_logs(_processes(found), failed)


def _processes(found: Sequence[Written]) -> list[Process]:
    return [Process(number, one, one, None) for number, one in enumerate(found)]


def _between(found: Sequence[Written], unchecked: list[str], over: bool) -> Iterator[Finding]:
    # Of what goes on only if all channels are known: what a receive may get depends on all.
    def failed(process: Process | None, error: MpippError) -> None:
        unchecked.append(str(error))

    for finding in every.between(_processes(found), failed, over):
        if finding.rule not in hangs.RULES:  # of what goes on
            yield finding


def _same(finding: Finding, view: View) -> object:
    # The same message; of a collective call whichever ranks it is told of.
    who = [view.label(p.process) for p in finding.parties]
    if any("collective call" in line for p in finding.parties for line in p.details):
        who = []
    where = tuple(tuple(view.where(party)) for party in finding.parties)
    return finding.rule.id, _NUMBERS.sub("", finding.what), tuple(who), where
