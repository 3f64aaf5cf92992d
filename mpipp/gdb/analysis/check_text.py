# SPDX-License-Identifier: MIT
"""What `mpipp check` says: every check on everything that is recorded, of all inferiors."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis import all_checks
from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding
from mpipp.analysis.rules import selection
from mpipp.gdb.analysis import variable_types
from mpipp.gdb.analysis.inferior_processes import Checked
from mpipp.render import json_output


def lines(wanted: str, leaks_too: bool, as_json: bool) -> list[str]:
    """What is found by the checks whose names are wanted, "messages,leaks"; by all for ""."""
    names = selection.optional_words(wanted)
    checked = Checked()
    found = list(all_checks.findings(checked.processes, checked.failed, leaks_too))
    found += variable_types.findings(checked)
    found = [one for one in found if one.rule.check in names]
    return [_document(found, checked)] if as_json else list(_report(found, checked))


def _report(found: list[Finding], checked: Checked) -> Iterator[str]:
    folded = formatting.folded(found, checked.where)
    for one in folded:
        record = formatting.record(one, checked.where, checked.label, checked.rank)
        yield from (line.text for line in formatting.lines(record))
        yield ""
    yield from checked.failures
    amount = _counted(len(folded), "finding", "findings") if folded else "no findings"
    yield f"{amount} in {_looked_at(checked)}"


def _looked_at(checked: Checked) -> str:
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


def _document(found: list[Finding], checked: Checked) -> str:
    records = [formatting.record(one, checked.where, checked.label, checked.rank) for one in found]
    content = {
        "processes": [checked.label(i) or "1" for i in range(len(checked.processes))],
        "not_checked": checked.failures,
        "findings": records,
    }
    return json_output.document("check", content)
