# SPDX-License-Identifier: MIT
"""What `mpipp why` says: why the processes hang, of all inferiors."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mpipp.checks.hangs import picture, records, unranked
from mpipp.checks.hangs.analysis import Explanation, explain_all
from mpipp.checks.hangs.report import Report
from mpipp.checks.hangs.svg import svg
from mpipp.checks.world import worlds
from mpipp.errors import MpippError
from mpipp.gdb.checked import Checked
from mpipp.show import jsontext


def lines(file: str, options: Collection[str]) -> list[str]:
    """What is said with these options; a picture is written into the file if there is one."""
    checked = Checked()
    found = [explain_all(world) for world in worlds(checked.processes) if world.all]
    others = unranked.unranked(checked.processes)
    if file:
        return [_drawn(file, found, checked)]
    if "--json" in options:
        jobs = [records.record(one, checked) for one in found]
        without_rank = unranked.records(others, checked)
        content = {"jobs": jobs, "without_rank": without_rank, "not_checked": checked.failures}
        return [jsontext.document("why", content)]
    said = list(unranked.lines(others, checked))
    return [*_report(found, checked, "--picture" in options), *said, *checked.failures]


def _report(found: list[Explanation], checked: Checked, drawn: bool) -> Iterator[str]:
    for number, one in enumerate(found):
        if number:
            yield ""
        if drawn:
            yield from picture.lines(picture.groups(one, checked))
        else:
            yield from Report(one, checked).lines()


def _drawn(file: str, found: list[Explanation], checked: Checked) -> str:
    if not found:
        raise MpippError("no rank of any process is known: there is nothing to draw")
    if len(found) != 1:
        raise MpippError(f"these are processes of {len(found)} jobs: a picture is of one")
    try:
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(svg(picture.groups(found[0], checked)))
    except OSError as error:
        raise MpippError(f"cannot write {file}: {error.strerror}") from None
    return f"written to {file}"
