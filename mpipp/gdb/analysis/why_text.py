# SPDX-License-Identifier: MIT
"""The output of `mpipp why`: the cause of a hang, for all inferiors."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock import before_init
from mpipp.analysis.deadlock.analysis import Explanation, explain_all
from mpipp.analysis.deadlock_text import json_output as deadlock_json
from mpipp.analysis.deadlock_text import wait_diagram
from mpipp.analysis.deadlock_text.report import Report
from mpipp.analysis.deadlock_text.wait_diagram_svg import svg
from mpipp.common import output_file
from mpipp.common.errors import MpippError
from mpipp.gdb.analysis.inferior_processes import CheckedInferiors
from mpipp.gdb.debug_session import brief_stops
from mpipp.render import json_output as json_values


def lines(file: str, options: Collection[str]) -> list[str]:
    """The explanation as text, by these options. With a file, write the picture to it.

    Ranks that run are stopped while mpipp reads them.
    """
    with brief_stops.of_all_ranks():
        return _lines(file, options)


def _lines(file: str, options: Collection[str]) -> list[str]:
    checked = CheckedInferiors()
    found = [explain_all(world) for world in worlds(checked.processes) if world.processes]
    others = before_init.unranked(checked.processes)
    if file:
        return [_drawn(file, found, checked)]
    if "--json" in options:
        jobs = [deadlock_json.record(one, checked) for one in found]
        without_rank = before_init.records(others, checked)
        content = {"jobs": jobs, "without_rank": without_rank, "not_checked": checked.failures}
        return [json_values.document("why", content)]
    said = list(before_init.lines(others, checked))
    return [*_report(found, checked, "--picture" in options), *said, *checked.failures]


def _report(found: list[Explanation], checked: CheckedInferiors, drawn: bool) -> Iterator[str]:
    for number, one in enumerate(found):
        if number:
            yield ""
        if drawn:
            yield from wait_diagram.lines(wait_diagram.groups(one, checked))
        else:
            yield from Report(one, checked).lines()


def _drawn(file: str, found: list[Explanation], checked: CheckedInferiors) -> str:
    if not found:
        raise MpippError("no rank of any process is known: there is nothing to draw")
    if len(found) != 1:
        raise MpippError(
            f"these processes belong to {len(found)} jobs: select the processes of one job"
        )
    return output_file.write(file, svg(wait_diagram.groups(found[0], checked)))
