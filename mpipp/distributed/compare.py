# SPDX-License-Identifier: MIT
"""Comparison of the files that all processes of a run have left in its directory.

The directory has a file for each process in `processes`, with the RMA log in `logs`, and one for
each node's watcher in `nodes`.
"""

from __future__ import annotations

import functools
import os
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from mpipp.analysis import all_checks
from mpipp.analysis.collectives import call_sequence
from mpipp.analysis.context.process import Process
from mpipp.analysis.deadlock import names
from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.analysis.rma.check import MissingLogs
from mpipp.analysis.rules import deadlocks
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import PROCESSES, paths
from mpipp.common.text import wording
from mpipp.distributed import select_channels
from mpipp.distributed.process_file import writer
from mpipp.distributed.process_file.reader import Written
from mpipp.distributed.select_channels import Selection, Team
from mpipp.model import Call, Site
from mpipp.symbolizer.source_frames import Frame

_MOST_LOGS = 4 << 30  # bytes of all logs together; larger logs are not analysed
_FEW = 64  # largest number of processes that are compared in detail, without selection
# Limits of the comparison of larger runs: number of findings, seconds.
MOST_FINDINGS = 1000
MOST_SECONDS = 300.0

_Between = Callable[[Sequence[Written], list[str]], Iterable[Finding]]


class Compared(NamedTuple):
    """The result of a comparison."""

    findings: list[Finding]
    processes: list[Process]
    view: View
    unchecked: list[str]  # sentences that name the facts that were not checked
    lost: list[str]  # sentences about processes whose files were unreadable
    missing: list[str]  # sentences about processes that left no file


class View:
    """The processes that were read, by their index, in the form in which reports print them."""

    def __init__(self, processes: Sequence[Written]) -> None:
        self._processes = processes

    def label(self, *numbers: int) -> str:
        """Return the words for processes: "rank 0", "ranks 0 to 3"."""
        return names.processes([self._processes[number].info for number in numbers])

    def rank(self, number: int) -> int | None:
        """Return a process's rank in MPI_COMM_WORLD."""
        return self._processes[number].info.world_rank

    def world(self, number: int) -> str:
        """Return the name of the process's MPI_COMM_WORLD, equal on all nodes."""
        return self._processes[number].info.world

    def where(self, party: Party) -> list[str]:
        """Return a party's source lines."""
        return [frame.text for frame in self.frames(party)]

    def frames(self, party: Party) -> list[Frame]:
        """Return a party's source lines as frames."""
        return self.calls(party.process, party.site)

    def calls(self, number: int, site: Site) -> list[Frame]:
        """Return the frames that a call site of a process stands for."""
        return self._processes[number].frames(site)


def compare(directory: str, told: Collection[str], team: Team | None = None) -> Compared:
    """Return the errors between the processes that have left a file in a run's directory.

    Args:
        directory: the run's directory.
        told: fingerprints of the findings that watchers have reported, each also without its ranks.
        team: the processes that share the work and pass the same arguments. The team's first
            process gets the findings.
    """
    every = paths(os.path.join(directory, PROCESSES))
    if team is None and len(every) <= _FEW:
        return _of_few(directory, told, every)
    choice = select_channels.select(every, team or select_channels.SingleProcess())
    if team is not None and team.rank:
        return Compared([], [], View([]), [], [], [])
    return _of_many(directory, told, every, choice)


def _of_few(directory: str, told: Collection[str], every: Sequence[str]) -> Compared:
    lost: list[str] = []
    found = _read(dict.fromkeys(every), lost)
    unchecked = [*lost]
    fresh = _fresh(found, told, functools.partial(_between, over=False), unchecked)
    ranks = {one.info.world_rank for one in found}
    size = max((one.info.world_size or 0 for one in found), default=0)
    missing = sorted(set(range(size)) - ranks)
    return _completed(directory, found, fresh, missing, (unchecked, lost))


def _of_many(
    directory: str, told: Collection[str], every: Sequence[str], choice: Selection
) -> Compared:
    # Only the findings of each portion stay in memory. At the end the files of their processes are
    # read again, for the report.
    unchecked: list[str] = []
    named = _Named()
    _of_channels(choice, told, named, unchecked)
    _of_orders(choice, told, named, unchecked)
    read = every if choice.logged else sorted(named.wanted)
    lost = [*choice.lost]
    again = _read({path: named.wanted.get(path, ()) for path in read}, lost)
    missing = sorted(set(range(choice.world_size)) - choice.ranks)
    unchecked += [*choice.unchecked, *lost]
    fresh = list(_numbered(named.findings, again))
    return _completed(directory, again, fresh, missing, (unchecked, lost))


class _Named:
    """Findings, with the files of their processes and the keys of their channels."""

    def __init__(self) -> None:
        self.findings: list[tuple[Finding, list[str]]] = []
        self.wanted: dict[str, set[int]] = defaultdict(set)
        self._until = time.monotonic() + MOST_SECONDS

    def add(self, finding: Finding, of: list[str], keys: Collection[int]) -> None:
        self.findings.append((finding, of))
        for path in of:
            self.wanted[path].update(keys)

    @property
    def stopped(self) -> str:
        """The reason why the comparison has stopped; "" if it has not."""
        if len(self.findings) >= MOST_FINDINGS:
            return f"mpipp stops after {MOST_FINDINGS:,} findings"
        return (
            f"mpipp stops after {MOST_SECONDS:g} seconds" if time.monotonic() > self._until else ""
        )


def _of_channels(
    choice: Selection, told: Collection[str], named: _Named, unchecked: list[str]
) -> None:
    compared = 0
    between = functools.partial(_between, over=True)
    for portion in choice.portions:
        if named.stopped:
            total = sum(len(portion.keys) for portion in choice.portions)
            unchecked.append(
                f"only {compared:,} of {total:,} suspicious channels were compared: {named.stopped}"
            )
            break
        compared += len(portion.keys)
        found = _read(dict.fromkeys(portion.paths, portion.keys), unchecked)
        for finding in _fresh(found, told, between, unchecked):
            named.add(finding, _paths(finding, found), portion.keys)


def _of_orders(
    choice: Selection, told: Collection[str], named: _Named, unchecked: list[str]
) -> None:
    # One error in the order of calls may appear in several groups of processes, because they share
    # different communicators. The dictionary keeps each error once.
    fresh: dict[str, tuple[Finding, list[str]]] = {}
    for compared, some in enumerate(choice.orders):
        if named.stopped:
            unchecked.append(
                f"only {compared:,} of {len(choice.orders):,} groups of processes with different "
                f"orders of collective calls were compared: {named.stopped}"
            )
            break
        found = _read(dict.fromkeys(some, ()), unchecked, call_sequence.SEQUENCES)
        view = View(found)
        for finding in _in_order(found, unchecked):
            fresh.setdefault(_fingerprint(finding, view), (finding, _paths(finding, found)))
    for fingerprint, (finding, of) in fresh.items():
        if fingerprint not in told:
            named.add(finding, of, ())


def _paths(finding: Finding, found: Sequence[Written]) -> list[str]:
    return [found[party.process].path for party in finding.parties]


def _numbered(
    named: Iterable[tuple[Finding, list[str]]], found: Sequence[Written]
) -> Iterator[Finding]:
    numbers = {one.path: number for number, one in enumerate(found)}
    for finding, of in named:
        if numbers.keys() >= {*of}:
            parties = zip(finding.parties, of)
            again = (replace(party, process=numbers[path]) for party, path in parties)
            yield replace(finding, parties=tuple(again))


def _read(
    wanted: Mapping[str, Collection[int] | None],
    unchecked: list[str],
    sequences: Collection[str] = (),
) -> list[Written]:
    # Reads files, each with the channels of the passed keys; None means all channels.
    found = []
    for path, keys in wanted.items():
        try:
            found.append(writer.read(path, keys, sequences))
        except MpippError as error:
            unchecked.append(str(error))
    return sorted(found, key=lambda one: (one.info.world_rank or 0, one.node))


def _fresh(
    found: Sequence[Written], told: Collection[str], between: _Between, unchecked: list[str]
) -> list[Finding]:
    # Selects the findings that no watcher has reported.
    view = View(found)
    return [one for one in between(found, unchecked) if _fingerprint(one, view) not in told]


def _completed(
    directory: str,
    found: Sequence[Written],
    fresh: list[Finding],
    missing: Sequence[int],
    said: tuple[list[str], list[str]],
) -> Compared:
    # `said` has two lists of sentences so far: on all unchecked facts, and on lost processes only.
    unchecked, lost = said
    absent = []
    if missing:
        has = f"{wording.ranks(missing)} {'has' if len(missing) == 1 else 'have'}"
        absent = [
            f"{has} left nothing in {directory} to compare: all nodes must share this directory"
        ]
        lost += absent
        unchecked += absent
    fresh += _of_logs(found, missing, unchecked)
    every = (list(dict.fromkeys(sentences)) for sentences in (*said, absent))
    return Compared(fresh, _processes(found), View(found), *every)


def _of_logs(
    found: Sequence[Written], missing: Collection[int], unchecked: list[str]
) -> Iterator[Finding]:
    # Yields conflicts between one-sided operations. `missing`: ranks that are already reported as
    # missing.
    sizes = [one.log.words << 3 for one in found if one.log is not None]
    if sum(sizes) > _MOST_LOGS:
        unchecked.append(
            f"one-sided operations: {len(sizes)} logs have {sum(sizes) >> 20:,} MiB, more than "
            f"{_MOST_LOGS >> 20:,}: set MPIPP_RMA_LOG, the limit of each log, lower"
        )
        return

    def failed(process: Process | None, error: MpippError) -> None:
        if isinstance(error, MissingLogs) and error.ranks.issubset(missing):
            unchecked.extend(error.others)
        else:
            unchecked.append(str(error))

    yield from all_checks.log_findings(_processes(found), failed)


def _processes(found: Sequence[Written]) -> list[Process]:
    return [Process(number, one, one, None) for number, one in enumerate(found)]


def _between(found: Sequence[Written], unchecked: list[str], over: bool) -> Iterator[Finding]:
    # Leaves out deadlocks: they need all channels, because a receive may match on any of them.
    def failed(process: Process | None, error: MpippError) -> None:
        unchecked.append(str(error))

    for finding in all_checks.between(_processes(found), failed, over):
        if finding.rule not in deadlocks.RULES:
            yield finding


def _in_order(found: Sequence[Written], unchecked: list[str]) -> Iterator[Finding]:
    def failed(process: Process | None, error: MpippError) -> None:
        unchecked.append(str(error))

    yield from all_checks.order_findings(_processes(found), failed)


def is_of_all(finding: Finding) -> bool:
    """Return whether the finding concerns all processes of a communicator.

    Such an error is reported once, also if other ranks report it, too.
    """
    if finding.rule.id == "graph-ends":
        return True
    calls = [party.evidence.call for party in finding.parties]
    if len(calls) > 1 and all(map(_is_collective, calls)):
        return True  # the active calls of a collective operation
    details = [detail for party in finding.parties for detail in party.details]
    facts = (name for phrase in (finding.what, *details) for name, _ in phrase.flat())
    return "call_ordinal" in facts


def _is_collective(call: Call | None) -> bool:
    return call is not None and call.ordinal is not None and call.dest is call.source is None


def _fingerprint(finding: Finding, view: View) -> str:
    # Findings on a collective call are equal if they differ only in the ranks.
    if is_of_all(finding):
        return formatting.fingerprint(finding, view.where)
    return formatting.fingerprint(finding, view.where, view.label)
