# SPDX-License-Identifier: MIT
"""Merge the results that the watchers of all nodes wrote into a run's directory."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.analysis.rules import selection
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import (
    DATA,
    NODES,
    PROCESSES,
    STARTED,
    STRICT,
    RunDirectory,
    paths,
)
from mpipp.distributed import compare
from mpipp.distributed.process_file import writer
from mpipp.distributed.select_channels import Team
from mpipp.reports import findings_file as reports
from mpipp.reports import suppressions
from mpipp.reports.suppressions import Suppressions
from mpipp.watcher import damaged_records
from mpipp.watcher.ipc import launch
from mpipp.watcher.output import node_results
from mpipp.watcher.output.finding_blocks import Block, counted, merged, records
from mpipp.watcher.output.finding_filter import FindingCollection, More
from mpipp.watcher.output.totals import NOTHING, Total
from mpipp.watcher.processes.collective_comparison import ReportedCalls
from mpipp.watcher.settings import Settings

_LATE = 40.0  # seconds for watchers to finish after the program's end
_LAG = 10.0  # seconds until a shared file system shows the files of other nodes
_STEP = 0.05
_SEEN = ".seen"  # name of a file without content


class GatheredResults(NamedTuple):
    """The results of all nodes, merged."""

    nodes: int  # number of nodes that wrote a result
    total: Total
    blocks: list[Block]  # findings that were not printed come last


class RunResult(NamedTuple):
    """The totals and findings of a run."""

    total: Total
    blocks: list[Block]


def write(directory: str, found: RunResult, run: dict[str, Any]) -> None:
    """Write the result as text and as JSON. `run` describes how the run was started. Raises
    OSError."""
    reports.write(directory, _document(found, run), _text(found))


def _text(found: RunResult) -> str:
    return "".join(block.shown() for block in found.blocks) + f"{found.total.line()}\n"


def _document(found: RunResult, run: dict[str, Any]) -> str:
    total = found.total
    content = {
        "processes": total.processes,
        "calls": total.calls,
        "queries": total.queries,
        "errors": total.errors,
        "warnings": total.warnings,
        "more": total.unreported,
        "suppressed": [{"reason": reason, "count": count} for reason, count in total.suppressed],
        "not_checked": [*total.failures, *total.unchecked],
        "guarded": [row._asdict() for row in total.covered],
        "provoked": [row._asdict() for row in total.provoked],
        "summary": total.line(),
        "run": run,
        "findings": records(found.blocks),
    }
    return reports.document(content)


def complete(directory: str) -> bytes:
    """The JSON document of a run. Creates it from the files of mpipp exec if they are newer.

    Raises MpippError if there is no result, or if it cannot be written.
    """
    left = [path for name in (NODES, PROCESSES) for path in paths(os.path.join(directory, name))]
    newest = max(_times(left), default=None)
    done = max(_times([os.path.join(directory, DATA)]), default=None)
    if newest is None or (done is not None and done >= newest):
        return reports.content(directory)
    return keep(directory, put_together(directory, None))


def put_together(directory: str, team: Team | None) -> RunResult:
    """Compare the files of mpipp exec. Only the first process of a team gets the findings."""
    found = gather(directory, (), Settings(report=directory, kept=True), late=0, team=team)
    blocks, total = merged(found.blocks, found.total)
    return RunResult(total, blocks)


def keep(directory: str, found: RunResult) -> bytes:
    """The JSON document of a result. Writes it into the run's directory if that belongs to this
    user.

    Raises MpippError if it cannot be written.
    """
    document = _document(found, {})
    if RunDirectory(directory).is_own:
        try:
            reports.write(directory, document, _text(found))
        except OSError as error:
            raise MpippError(f"cannot write {directory}: {error.strerror}") from None
    return document.encode()


def _times(files: Iterable[str]) -> Iterator[int]:
    # The modification times of files.
    for path in files:
        with contextlib.suppress(OSError):
            yield os.lstat(path).st_mtime_ns


def traces(directory: str) -> list[str]:
    """The files with tracebacks of watchers."""
    names = (os.path.basename(path) for path in paths(directory))
    return [
        os.path.join(directory, name)
        for name in names
        if name.startswith(damaged_records.BEGIN) and name.endswith(damaged_records.END)
    ]


def gather(
    directory: str,
    told: Collection[str],
    settings: Settings,
    late: float = _LATE,
    team: Team | None = None,
    is_cut_short: bool = False,
    reported: Collection[str] = (),
) -> GatheredResults:
    """Wait for the end of the watchers, read their results, and compare the processes.

    Args:
        told: fingerprints of findings that the watcher of this node reported itself.
        is_cut_short: True if it reported that a process ended early.
        reported: the names of nodes whose watchers reported to the launcher.
        late: seconds to wait for watchers.
        team: the processes that share the work; only the first gets the result.
    """
    try:
        found, unread = _wait_for_nodes(directory, late, is_cut_short, reported)
    except MpippError as error:
        found, unread = [], [str(error)]
    # A watcher that did not end wrote no total, so count its findings.
    totals = [one.total if one.ended else counted(one.blocks) for one in found]
    total = sum_of(totals, NOTHING._replace(failures=tuple(unread)))
    going_on = [one.name for one in found if not one.ended]
    if going_on:
        sentence = f"the watcher of node {', '.join(going_on)} has not reported its end"
        total = total.plus(NOTHING._replace(failures=(sentence,)))
    compared = compare.compare(directory, {*told, *total.found}, team)
    made = selection.merged([settings.checks] if settings.checks else [one.checks for one in found])
    collected = FindingCollection(suppressed(settings, found), made)
    blocks = sorted((block for one in found for block in one.blocks), key=lambda b: not b.printed)
    explained = compared.missing if is_cut_short or are_cut_short(blocks) else []
    collected.failures = dict.fromkeys(one for one in compared.lost if one not in explained)
    limits = (one for one in compared.unchecked if one not in compared.lost)
    collected.unchecked = dict.fromkeys(limits)
    view = compared.view
    known = view.where, view.label, view.frames, view.world, view.rank
    before = ReportedCalls()
    # The comparison finds errors again if the call continued.
    if decided := paths(os.path.join(directory, STRICT)):
        _forget_calls(directory, decided)
        before.add_records(record for block in blocks for record in block.records)
    found_now = compared.findings
    new = [f for f in found_now if not (compare.is_of_all(f) and before.has(f, view.where))]
    for text, of in collected.new(new, *known, _pictured(compared, settings)):
        blocks.append(Block(text, of, printed=False))
    return GatheredResults(len(found), total.plus(collected.total(0, 0)), blocks)


def are_cut_short(blocks: Sequence[Block]) -> bool:
    """Return whether a finding reports that a process ended early.

    Then the launcher ended the other processes, also those that have not written their files yet.
    """
    checks = (record.get("check") for block in blocks for record in block.records)
    return any(check in ("process-died", "aborted") for check in checks)


def _forget_calls(directory: str, decided: Sequence[str]) -> None:
    # Remove the files of the compared calls in `decided`: no process waits for an answer any more.
    for name in map(os.path.basename, decided):
        if name.startswith(STARTED):
            with contextlib.suppress(OSError):  # the folder belongs to another user
                RunDirectory(directory).clear(f"{STRICT}/{name}")


def suppressed(settings: Settings, found: Sequence[node_results.Node]) -> Suppressions:
    if settings.suppress:
        return suppressions.read(settings.suppress)
    return Suppressions(list(dict.fromkeys(known for one in found for known in one.suppressions)))


def _pictured(compared: compare.Compared, settings: Settings) -> More:
    if not settings.kept:
        return lambda finding, record: None
    # The drawing module is slow to import.
    from mpipp.reports.evidence import Taking
    from mpipp.watcher.output.evidence_adapter import Pictures

    view = compared.view
    return Pictures(compared.processes, view.calls, view.label, Taking()).add


def sum_of(totals: list[Total], start_with: Total) -> Total:
    """The sum of the totals of several nodes."""
    for one in totals:
        start_with = start_with.plus(one)
    return start_with


def _wait_for_nodes(
    directory: str, late: float, is_cut_short: bool, reported: Collection[str]
) -> tuple[list[node_results.Node], list[str]]:
    begin = time.monotonic()
    while True:
        found, failed = node_results.nodes(directory)
        waited = time.monotonic() - begin
        if waited > late:
            return found, failed
        if all(one.ended for one in found):
            is_cut_short = is_cut_short or any(are_cut_short(one.blocks) for one in found)
            if is_cut_short or waited > _LAG or _is_complete(directory, found, reported):
                return found, failed
            _refresh(directory)
        time.sleep(_STEP)


def _is_complete(
    directory: str, found: Sequence[node_results.Node], reported: Collection[str]
) -> bool:
    # Return whether all files that other nodes have written are visible. A shared file system may
    # show them late.
    if not found and os.path.isdir(os.path.join(directory, NODES)):
        return False
    files = paths(os.path.join(directory, PROCESSES))
    names = [os.path.basename(path).partition("-") for path in files]
    nodes = {rest.rpartition("-")[0] for _, _, rest in names} - {launch.node()}
    if not nodes.issubset([*reported, *(one.name for one in found)]):
        return False
    with contextlib.suppress(MpippError):  # the comparison reports it
        sizes = [writer.head(path).info.world_size or 0 for path in files[:1]]
        return len({rank for rank, _, _ in names}) >= max(sizes, default=0)
    return True


def _refresh(directory: str) -> None:
    # NFS reads a folder again after this machine has written in it.
    for folder in (NODES, PROCESSES):
        if os.path.isdir(os.path.join(directory, folder)):
            with contextlib.suppress(OSError):
                RunDirectory(directory).publish(f"{folder}/{_SEEN}", b"")
