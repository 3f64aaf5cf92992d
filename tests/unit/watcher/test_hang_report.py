# SPDX-License-Identifier: MIT
"""A watcher reports processes in different collective calls only once."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from mpipp.analysis import deadlock_check
from mpipp.analysis.deadlock.analysis import explain
from mpipp.analysis.deadlock_text import json_output
from mpipp.analysis.findings.finding import Finding, Party
from mpipp.model import Site
from mpipp.render.phrases import Phrase
from mpipp.watcher.output.finding_filter import FindingCollection
from mpipp.watcher.progress.hang_detector import HangDetector
from mpipp.watcher.progress.hang_report import HangReport, calls
from tests.unit.jobs import Places, Recorded, call, job, ranks


def stands(*processes: Recorded) -> HangReport:
    """The report on a deadlock."""
    found = explain(job(*processes))
    finding = deadlock_check.finding(found, found.knots[0])
    record = json_output.record(found, Places())["deadlocks"][0]
    return HangReport(finding, "", record, True, frozenset(), calls(found, found.knots[0]))


def told(one: HangReport, others: list[Finding]) -> list[HangReport]:
    """The deadlocks that are still reported beside other findings."""
    reporter, stopper = (
        SimpleNamespace(collected=FindingCollection()),
        SimpleNamespace(is_asked_for=False),
    )
    parts: list[Any] = [reporter, None, stopper, None]
    hanging = HangDetector([], 1, *parts)
    view: Any = SimpleNamespace(frames=lambda party: [])
    return hanging._unreported([one], others, view)


def meeting(*places: tuple[int, int]) -> Finding:
    """A finding about calls that do not match, by process and address."""
    subject = Phrase("MPI_Bcast()")
    parties = [Party(process, subject, "called at", Site(at)) for process, at in places]
    facts = {"procedure": "MPI_Bcast", "other_procedure": "MPI_Gather", "noun": "communicator"}
    return Finding.of("collective-mismatch", parties, "unnumbered", **facts)


def test_a_call_that_is_over_is_no_second_mistake() -> None:
    a, b = ranks(2)
    a.joined(1).inside(call("MPI_Bcast", root=1))
    b.joined(1, call("MPI_Gather", root=0)).inside(call("MPI_Finalize"))
    one = stands(a, b)
    assert one.record["kind"] == "mismatch"
    assert told(one, [meeting((0, 0x4000), (1, 0x5000))]) == []
    assert told(one, [meeting((0, 0x6000), (1, 0x5000))]) == [one]
    assert told(one, []) == [one]


def test_nonblocking_calls_that_do_not_match_are_no_second_mistake() -> None:
    processes = ranks(2)
    for process, procedure, at in zip(processes, ("MPI_Ibcast", "MPI_Iallgather"), (1, 2)):
        root = 0 if procedure == "MPI_Ibcast" else None
        started = replace(call(procedure, root=root), site=Site(at))
        process.joined(1, started).pending(started).inside(call("MPI_Wait", requests=1))
    one = stands(*processes)
    assert one.record["kind"] == "mismatch"
    assert told(one, [meeting((0, 1), (1, 2))]) == []
    assert told(one, [meeting((0, 0x4000), (1, 0x4000))]) == [one]
