# SPDX-License-Identifier: MIT
"""What the watcher tells of processes that can never go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mpipp.checks import deadlocks
from mpipp.checks import report as text_of
from mpipp.checks.finding import Finding
from mpipp.checks.hangs import Report, explain, picture, records
from mpipp.checks.hangs.analysis import Knot
from mpipp.checks.hangs.svg import svg
from mpipp.checks.process import Process
from mpipp.checks.world import worlds
from mpipp.watch.report import More
from mpipp.watch.view import View


class Told(NamedTuple):
    """One deadlock, or what waits for processes that have ended."""

    finding: Finding
    text: str
    record: dict[str, Any]  # the same for machines


def told(
    processes: Sequence[Process],
    view: View,
    pictured: More,
    wanted: Callable[[Knot], bool] = lambda knot: True,
) -> Iterator[Told]:
    """All that can never go on, of those that are wanted.

    Raises MpippError when what is recorded makes no sense.
    """
    for world in worlds(processes):
        found = explain(world)
        report = Report(found, view)
        for number, knot in enumerate(found.knots):
            if not wanted(knot):
                continue
            standard = world.all[0].registry.info.standard
            finding = replace(deadlocks.finding(found, knot), standard=standard)
            first, *lines = report.knot(knot)
            mark = view.mark(world.all[0].number)
            text = "\n".join([f"error: {first}{mark and f' ({mark.strip()})'}", *lines])
            record = text_of.record(finding, view.where, view.label)
            said: dict[str, Any] = records.record(found, view)["deadlocks"][number]
            record.update(said, check="deadlock", text=text)
            record["picture"] = svg(picture.groups(found, view))
            pictured(finding, record)
            yield Told(finding, text, record)
