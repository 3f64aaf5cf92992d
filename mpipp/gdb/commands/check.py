# SPDX-License-Identifier: MIT
"""`mpipp check`: every check on everything that is recorded, of all inferiors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mpipp import checks
from mpipp.checks import report
from mpipp.checks.finding import Finding
from mpipp.checks.rules import chosen
from mpipp.errors import MpippError
from mpipp.gdb import misfits
from mpipp.gdb.checked import Checked
from mpipp.gdb.commands import show
from mpipp.gdb.commands.base import Command
from mpipp.gdb.words import operands
from mpipp.show import jsontext


class Check(Command):
    """Check everything that is recorded of all inferiors: what is wrong, why, what to do.

    mpipp check [LIST] [--leaks] [--json]

    LIST: only these checks, "messages,leaks", by the names of docs/checks.md.

    Looks at all active calls and pending requests: arguments, datatypes, buffers that overlap or
    lie in memory that is not there, MPI_IN_PLACE; between the inferiors at sends and receives that
    meet, and at collective calls. At the end of MPI_Finalize (mpipp break MPI_Finalize), or with
    --leaks, also at what was never freed.

    A process that stops elsewhere may show more: a check sees what is recorded now.
    """

    name = "mpipp check"

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return show.show(f"check{argument}")
        options, rest = operands.options(argument, ("--leaks", "--json"))
        if len(rest.split()) > 1:
            raise MpippError(
                'mpipp check takes one list of checks, "messages,leaks", --leaks and --json: '
                f'"{rest}"'
            )
        names = chosen.words(rest)
        checked = Checked()
        leaks_too = "--leaks" in options
        found = list(checks.findings(checked.processes, checked.failed, leaks_too))
        found += misfits.findings(checked)
        found = [one for one in found if one.rule.check in names]
        if "--json" in options:
            return [_document(found, checked)]
        return list(_report(found, checked))


def _report(found: list[Finding], checked: Checked) -> Iterator[str]:
    folded = report.folded(found, checked.where)
    for one in folded:
        yield from report.text(one, checked.where, checked.label)
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
    records = [report.record(one, checked.where, checked.label) for one in found]
    content = {
        "processes": [checked.label(i) or "1" for i in range(len(checked.processes))],
        "not_checked": checked.failures,
        "findings": records,
    }
    return jsontext.document("check", content)
