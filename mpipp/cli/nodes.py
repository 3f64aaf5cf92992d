# SPDX-License-Identifier: MIT
"""What the watchers of all nodes have left in a run's directory, put together."""

from __future__ import annotations

import os
import shutil
import time
from typing import Any, NamedTuple

from mpipp.agreement import run
from mpipp.errors import MpippError
from mpipp.reports import suppressions
from mpipp.reports.sources import Sources
from mpipp.watch import nodes, start
from mpipp.watch.report import NOTHING, Collected, More, Total
from mpipp.watch.settings import Settings

_LATE = 40.0  # seconds that a watcher may take after the program's end
_STEP = 0.05


class Gathered(NamedTuple):
    """What was found."""

    nodes: int  # that have left something
    total: Total
    told: list[str]  # blocks that their watchers have printed
    new: list[str]  # others
    findings: list[dict[str, Any]]  # all, for machines


def begin(report: str | None) -> str:
    """The path of the run's directory, where nothing is left of another run.

    If none is wanted, one below the working directory that nodes may share: it is made when it is
    needed. Raises MpippError.
    """
    if report is None:
        return os.path.join(os.getcwd(), f".mpipp-{start.node()}-{os.getpid()}")
    for name in (run.PROCESSES, run.NODES):
        path = os.path.join(os.path.abspath(report), name)
        try:
            shutil.rmtree(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise MpippError(f"cannot remove {path}: {error.strerror}") from None
    return os.path.abspath(report)


def gather(directory: str, has_told: bool, settings: Settings) -> Gathered:
    """All that is there, once the watchers have ended, and what comes of comparing processes.

    Args:
        has_told: whether the watcher of this node has told its findings elsewhere.
    """
    unchecked = NOTHING
    try:
        found = _ended(directory)
    except MpippError as error:
        found, unchecked = [], NOTHING._replace(unchecked=(str(error),))
    total = sum_of([one.total for one in found], unchecked)
    late = [one.name for one in found if not one.ended]
    if late:
        sentence = f"the watcher of node {', '.join(late)} has not ended for {_LATE:g} seconds"
        total = total.plus(NOTHING._replace(unchecked=(sentence,)))
    told = {one.name for one in found if one.ended} | ({start.node()} if has_told else set())
    blocks = [text for one in found for text in one.blocks]
    findings = [record for one in found for record in one.findings]
    compared = run.compare(directory, told)
    collected = Collected(suppressions.read(settings.suppress))
    collected.unchecked = dict.fromkeys(compared.unchecked)
    new: list[str] = []
    view = compared.view
    known = view.where, view.label, view.frames
    for text, records in collected.new(compared.findings, *known, _pictured(compared, settings)):
        new.append(text)
        findings += records
    return Gathered(len(found), total.plus(collected.total(0, 0)), blocks, new, findings)


def _pictured(compared: run.Compared, settings: Settings) -> More:
    if not settings.kept:
        return lambda finding, record: None
    # Drawing takes some time to load.
    from mpipp.watch.pictures import Pictures

    view = compared.view
    return Pictures(compared.processes, view.calls, view.label, Sources()).add


def sum_of(totals: list[Total], start_with: Total) -> Total:
    """Of several nodes."""
    for one in totals:
        start_with = start_with.plus(one)
    return start_with


def _ended(directory: str) -> list[nodes.Node]:
    until = time.monotonic() + _LATE
    while True:
        found = list(nodes.nodes(directory))
        if all(one.ended for one in found) or time.monotonic() > until:
            return found
        time.sleep(_STEP)
