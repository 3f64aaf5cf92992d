# SPDX-License-Identifier: MIT
"""The explanation of a running job's hang as text, as JSON, and as a picture."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.deadlock import before_init
from mpipp.analysis.deadlock_text import json_output as deadlock_json
from mpipp.analysis.deadlock_text import wait_diagram
from mpipp.analysis.deadlock_text.report import Report
from mpipp.analysis.deadlock_text.wait_diagram_svg import svg
from mpipp.cli.hang.job_hang import Hang
from mpipp.common.errors import MpippError
from mpipp.render import json_output


def text(found: Hang) -> str:
    """The explanation as lines of text."""
    return "\n".join(_lines(found)).rstrip("\n")


def _lines(found: Hang) -> Iterator[str]:
    for number, job in enumerate(found.jobs):
        if number:
            yield ""
        yield from Report(job, found.view).lines()
    yield from before_init.lines(found.unranked, found.view)
    yield from found.failures


def json(found: Hang) -> str:
    """The explanation as JSON, which docs/reference/json.md describes."""
    jobs = [deadlock_json.record(job, found.view) for job in found.jobs]
    without_rank = before_init.records(found.unranked, found.view)
    content = {"jobs": jobs, "without_rank": without_rank, "not_checked": found.failures}
    return json_output.document("why", content)


def picture(found: Hang) -> str:
    """The wait-for graph as SVG. Raises MpippError unless there is one job."""
    if not found.jobs:
        raise MpippError("no rank of any process is known: there is nothing to draw")
    if len(found.jobs) > 1:
        raise MpippError(f"these processes belong to {len(found.jobs)} jobs: leave out --svg")
    return svg(wait_diagram.groups(found.jobs[0], found.view))
