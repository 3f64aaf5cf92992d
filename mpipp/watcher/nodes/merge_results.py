# SPDX-License-Identifier: MIT
"""What the watchers of all nodes have left in a run's directory, put together."""

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
from mpipp.distributed.select_channels import Team
from mpipp.reports import store as reports
from mpipp.reports import suppressions
from mpipp.reports.suppressions import Suppressions
from mpipp.watcher import damaged_records
from mpipp.watcher.ipc.settings import Settings
from mpipp.watcher.output import node_results
from mpipp.watcher.output.deduplicate import Collected, More
from mpipp.watcher.output.finding_blocks import Block, counted, merged, records
from mpipp.watcher.output.totals import NOTHING, Total
from mpipp.watcher.processes.strict_comparison import ReportedCalls

_LATE = 40.0  # seconds that a watcher may take after the program's end
_STEP = 0.05


class Gathered(NamedTuple):
    """What was found."""

    nodes: int  # that have left something
    total: Total
    blocks: list[Block]  # those that were not printed come last


class RunResult(NamedTuple):
    """The totals and findings of a run."""

    total: Total
    blocks: list[Block]


def write(directory: str, found: RunResult, run: dict[str, Any]) -> None:
    """Write it as text, and all that reports show; `run`: how it was started. Raises OSError."""
    reports.write(directory, _document(found, run), _text(found))


def _text(found: RunResult) -> str:
    return "".join(f"{block.text}\n\n" for block in found.blocks) + f"{found.total.line()}\n"


def _document(found: RunResult, run: dict[str, Any]) -> str:
    total = found.total
    content = {
        "processes": total.processes,
        "calls": total.calls,
        "errors": total.errors,
        "warnings": total.warnings,
        "more": total.untold,
        "suppressed": [{"reason": reason, "count": count} for reason, count in total.suppressed],
        "not_checked": [*total.lost, *total.unchecked],
        "guarded": [row._asdict() for row in total.covered],
        "provoked": [row._asdict() for row in total.provoked],
        "summary": total.line(),
        "run": run,
        "findings": records(found.blocks),
    }
    return reports.document(content)


def complete(directory: str) -> bytes:
    """The document of a run; of what mpipp exec has left it is made, if there is none newer.

    Raises MpippError when there is none, or it cannot be written.
    """
    left = [path for name in (NODES, PROCESSES) for path in paths(os.path.join(directory, name))]
    newest = max(_times(left), default=None)
    done = max(_times([os.path.join(directory, DATA)]), default=None)
    if newest is None or (done is not None and done >= newest):
        return reports.content(directory)
    return keep(directory, put_together(directory, None))


def put_together(directory: str, team: Team | None) -> RunResult:
    """What mpipp exec has left, compared; the first of a team is given what is found."""
    found = gather(directory, (), Settings(report=directory, kept=True), late=0, team=team)
    blocks, total = merged(found.blocks, found.total)
    return RunResult(total, blocks)


def keep(directory: str, found: RunResult) -> bytes:
    """The document of what was found; it is written into the run's directory, unless that is
    another user's. Raises MpippError where it cannot be.
    """
    document = _document(found, {})
    if RunDirectory(directory).is_own:
        try:
            reports.write(directory, document, _text(found))
        except OSError as error:
            raise MpippError(f"cannot write {directory}: {error.strerror}") from None
    return document.encode()


def _times(files: Iterable[str]) -> Iterator[int]:
    # When they were written.
    for path in files:
        with contextlib.suppress(OSError):
            yield os.lstat(path).st_mtime_ns


def traces(directory: str) -> list[str]:
    """The files that have tracebacks of watchers."""
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
) -> Gathered:
    """All that is there, once the watchers have ended, and what comes of comparing processes.

    Args:
        told: fingerprints of what the watcher of this node has told elsewhere.
        late: seconds that watchers may take.
        team: who shares the work; the first of them is given the result.
    """
    try:
        found, unread = _wait_for_nodes(directory, late)
    except MpippError as error:
        found, unread = [], [str(error)]
    # Who has not ended has not counted what it has told.
    totals = [one.total if one.ended else counted(one.blocks) for one in found]
    total = sum_of(totals, NOTHING._replace(lost=tuple(unread)))
    going_on = [one.name for one in found if not one.ended]
    if going_on:
        sentence = f"the watcher of node {', '.join(going_on)} has not said that it has ended"
        total = total.plus(NOTHING._replace(lost=(sentence,)))
    compared = compare.compare(directory, {*told, *total.found}, team)
    made = selection.merged([settings.checks] if settings.checks else [one.checks for one in found])
    collected = Collected(suppressed(settings, found), made)
    collected.lost = dict.fromkeys(compared.lost)
    limits = (sentence for sentence in compared.unchecked if sentence not in collected.lost)
    collected.unchecked = dict.fromkeys(limits)
    blocks = sorted((block for one in found for block in one.blocks), key=lambda b: not b.printed)
    view = compared.view
    known = view.where, view.label, view.frames, view.world, view.rank
    before = ReportedCalls()
    if decided := paths(os.path.join(directory, STRICT)):  # calls that went on are found again
        _forget_calls(directory, decided)
        before.add_records(record for block in blocks for record in block.records)
    found_now = compared.findings
    new = [f for f in found_now if not (compare.is_of_all(f) and before.has(f, view.where))]
    for text, of in collected.new(new, *known, _pictured(compared, settings)):
        blocks.append(Block(text, of, printed=False))
    return Gathered(len(found), total.plus(collected.total(0, 0)), blocks)


def _forget_calls(directory: str, decided: Sequence[str]) -> None:
    # Of those that had begun nobody asks any more.
    for name in map(os.path.basename, decided):
        if name.startswith(STARTED):
            with contextlib.suppress(OSError):  # it is of another user
                RunDirectory(directory).clear(f"{STRICT}/{name}")


def suppressed(settings: Settings, found: Sequence[node_results.Node]) -> Suppressions:
    if settings.suppress:
        return suppressions.read(settings.suppress)
    return Suppressions(list(dict.fromkeys(known for one in found for known in one.suppressions)))


def _pictured(compared: compare.Compared, settings: Settings) -> More:
    if not settings.kept:
        return lambda finding, record: None
    # Drawing takes some time to load.
    from mpipp.reports.evidence import Taking
    from mpipp.watcher.output.evidence_adapter import Pictures

    view = compared.view
    return Pictures(compared.processes, view.calls, view.label, Taking()).add


def sum_of(totals: list[Total], start_with: Total) -> Total:
    """Of several nodes."""
    for one in totals:
        start_with = start_with.plus(one)
    return start_with


def _wait_for_nodes(directory: str, late: float) -> tuple[list[node_results.Node], list[str]]:
    until = time.monotonic() + late
    while True:
        found, failed = node_results.nodes(directory)
        if all(one.ended for one in found) or time.monotonic() > until:
            return found, failed
        time.sleep(_STEP)
