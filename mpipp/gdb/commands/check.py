# SPDX-License-Identifier: MIT
"""`mpipp check`: every check on everything that is recorded, of all inferiors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gdb

from mpipp import checks
from mpipp.checks import finding
from mpipp.checks.finding import Finding, Party
from mpipp.checks.process import Process
from mpipp.errors import MpippError
from mpipp.gdb import sessions
from mpipp.gdb.commands import show
from mpipp.gdb.commands.base import Command
from mpipp.gdb.program import callers, mappings, sites
from mpipp.gdb.program.memory import selected
from mpipp.gdb.sessions import Session
from mpipp.gdb.words import operands
from mpipp.show import jsontext


class Check(Command):
    """Check everything that is recorded of all inferiors: what is wrong, why, what to do.

    mpipp check [--leaks] [--json]

    Looks at all active calls and pending requests: arguments, datatypes, buffers that overlap or
    lie in memory that is not there, MPI_IN_PLACE; between the inferiors at sends and receives that
    meet, and at collective calls. In MPI_Finalize, or with --leaks, also at what was never freed.

    A process that stops elsewhere may show more: a check sees what is recorded now.
    """

    name = "mpipp check"

    def lines(self, argument: str) -> Iterable[str]:
        """What to write."""
        if argument.startswith("["):  # a variable of this name
            return show.show(f"check{argument}")
        options, rest = operands.options(argument, ("--leaks", "--json"))
        if rest:
            raise MpippError(f'mpipp check takes no argument, only --leaks and --json: "{rest}"')
        checked = _Checked()
        leaks_too = "--leaks" in options
        found = list(checks.findings(checked.processes, checked.failed, leaks_too))
        if "--json" in options:
            return [_document(found, checked)]
        return list(_report(found, checked))


class _Checked:
    # The processes, and what could not be looked at.

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.sessions: list[Session] = []
        self.failures: list[str] = []
        inferiors = sorted((i for i in gdb.inferiors() if i.pid), key=lambda i: i.num)
        if not inferiors:
            sessions.required()  # says what to do
        if not gdb.selected_inferior().pid and inferiors[0].threads():
            inferiors[0].threads()[0].switch()  # gdb tells whenever it returns to one without
        if len(inferiors) == 1:
            with selected(inferiors[0]):
                self._add(sessions.required())
            return
        for inferior in inferiors:
            with selected(inferior):
                try:
                    self._add(sessions.required())
                except MpippError as error:
                    self.failures.append(f"inferior {inferior.num}: {error}")
        if not self.processes:
            sessions.required()  # says what to do

    def _add(self, session: Session) -> None:
        process = Process(len(self.processes), session.registry, session, mappings.gaps())
        self.processes.append(process)
        self.sessions.append(session)

    def failed(self, process: Process | None, error: MpippError) -> None:
        """Take down that a check of a process, or of all, has met records that make no sense."""
        label = self.label(process.number) if process else ""
        failure = f"{label}{': ' if label else ''}not all was checked: {error}"
        if failure not in self.failures:
            self.failures.append(failure)

    def label(self, number: int) -> str:
        """A process among several."""
        if len(self.processes) == 1:
            return ""
        session = self.sessions[number]
        rank = session.registry.info.world_rank
        inferior = f"inferior {session.inferior.num}"
        return inferior if rank is None else f"rank {rank} ({inferior})"

    def where(self, party: Party) -> list[str]:
        """A party's source lines."""
        session = self.sessions[party.process]
        with selected(session.inferior):
            if party.tid is not None:
                return [callers.place(party.site, party.tid, session)]
            return sites.site(party.site)


def _report(found: list[Finding], checked: _Checked) -> Iterator[str]:
    for one in found:
        yield from finding.text(one, checked.where, checked.label)
        yield ""
    yield from checked.failures
    amount = f"{len(found)} finding{'' if len(found) == 1 else 's'}" if found else "no findings"
    yield f"{amount} in {_looked_at(checked)}"


def _looked_at(checked: _Checked) -> str:
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


def _document(found: list[Finding], checked: _Checked) -> str:
    records = [finding.record(one, checked.where, checked.label) for one in found]
    content = {
        "processes": [checked.label(i) or "1" for i in range(len(checked.processes))],
        "not_checked": checked.failures,
        "findings": records,
    }
    return jsontext.document("check", content)
