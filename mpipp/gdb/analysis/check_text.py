# SPDX-License-Identifier: MIT
"""The output of `mpipp check`: the findings of all checks, on the records of all inferiors."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from mpipp.analysis import all_checks
from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.rules import selection
from mpipp.gdb import settings
from mpipp.gdb.analysis import program_objects
from mpipp.gdb.analysis.inferior_processes import CheckedInferiors
from mpipp.gdb.debug_session import brief_stops
from mpipp.render import finding_head, json_output


def lines(wanted: str, leaks_too: bool, as_json: bool) -> list[str]:
    """The findings of the checks named in `wanted` ("messages,leaks"); "" means all checks.

    Ranks that run are stopped while mpipp reads them.
    """
    names = selection.optional_words(wanted)
    with brief_stops.of_all_ranks():
        return _lines(names, leaks_too, as_json)


def _lines(names: Collection[str], leaks_too: bool, as_json: bool) -> list[str]:
    checked = CheckedInferiors()
    found = list(all_checks.findings(checked.processes, checked.failed, leaks_too))
    found += program_objects.findings(checked)
    found = [program_objects.with_names(one, checked) for one in found if one.rule.check in names]
    return [_document(found, checked)] if as_json else list(_report(found, checked))


def _report(found: list[Finding], checked: CheckedInferiors) -> Iterator[str]:
    folded = formatting.folded(found, checked.where)
    for one in folded:
        record = _record(one, checked)
        first, *others = (line.text for line in formatting.lines(record))
        yield finding_head.printed_record(first, [record], settings.coloured())
        yield from others
        yield ""
    yield from checked.failures
    amount = _counted(len(folded), "finding", "findings") if folded else "no findings"
    yield f"{amount} in {_looked_at(checked)}"


def _record(one: Finding | formatting.Folded, checked: CheckedInferiors) -> dict[str, Any]:
    return formatting.record(one, checked.where, checked.label, checked.rank, checked.frames)


def _looked_at(checked: CheckedInferiors) -> str:
    calls = sum(len(process.threads) for process in checked.processes)
    operations = [one for process in checked.processes for one in process.operations]
    pending = sum(operation.request is not None for operation in operations)
    words = [
        _counted(len(checked.processes), "process", "processes"),
        _counted(calls, "active call", "active calls"),
        _counted(pending, "pending request", "pending requests"),
    ]
    return ", ".join(words)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _document(found: list[Finding], checked: CheckedInferiors) -> str:
    records = [_record(one, checked) for one in found]
    content = {
        "processes": [checked.label(i) or "1" for i in range(len(checked.processes))],
        "not_checked": checked.failures,
        "findings": records,
    }
    return json_output.document("check", content)
