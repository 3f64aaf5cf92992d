# SPDX-License-Identifier: MIT
"""The reports on processes that can never continue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mpipp.analysis import deadlock_check
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock.analysis import Explanation, Knot, State, explain
from mpipp.analysis.deadlock_text import json_output, wait_diagram
from mpipp.analysis.deadlock_text.report import Report
from mpipp.analysis.deadlock_text.wait_diagram_svg import svg
from mpipp.analysis.findings import formatting as text_of
from mpipp.analysis.findings.finding import Finding
from mpipp.common.text import wording
from mpipp.watcher.output.finding_filter import More
from mpipp.watcher.processes.labels import View


class HangReport(NamedTuple):
    """One deadlock, or the processes that wait for ended processes."""

    finding: Finding
    text: str
    record: dict[str, Any]  # for JSON
    is_error: bool  # False: a remark, because a thread may call MPI for the first time
    who: frozenset[str]  # the processes that can never continue
    # The calls that they wait for, or complete, as process and address of the call.
    calls: frozenset[tuple[int, int]]


def hang_reports(
    processes: Sequence[Process],
    view: View,
    pictured: More,
    may_call: Callable[[int], bool],
    wanted: Callable[[Knot], bool] = lambda knot: True,
    polling_waits: bool = False,
) -> Iterator[HangReport]:
    """Yield the deadlocks and the waits for ended processes that `wanted` selects.

    Args:
        polling_waits: True to include processes that only poll, as remarks.
        may_call: returns whether a process, by its number, has a thread that may still call MPI.

    Raises MpippError if the records are damaged.
    """
    for world in worlds(processes):
        found = explain(world, polling_waits)
        report = Report(found, view)
        for number, knot in enumerate(found.knots):
            if not wanted(knot):
                continue
            standard = world.processes[0].registry.info.standard
            finding = replace(deadlock_check.finding(found, knot), standard=standard)
            mark = view.mark(world.processes[0].number)
            remarks = _remarks(found, knot, may_call)
            is_error = not remarks and not found.polls(knot)
            kind = "error" if is_error else "remark"
            headline = f"{kind}: {report.headline(knot)}{mark and f' ({mark.strip()})'}"
            lines = [
                text_of.Line(headline),
                *(text_of.Line(line.text, line.place) for line in report.knot(knot)),
                *map(text_of.Line, remarks),
            ]
            record = text_of.record(finding, view.where, view.label, view.rank, view.frames)
            said: dict[str, Any] = json_output.record(found, view)["deadlocks"][number]
            record.update(said, check="deadlock", **text_of.shown(lines))
            record["picture"] = svg(wait_diagram.groups(found, view))
            pictured(finding, record)
            who = frozenset(view.label(found.states[rank].process.number) for rank in knot.ranks)
            meeting = calls(found, knot) if knot.mismatch else frozenset()
            text = "\n".join(line.text for line in lines)
            yield HangReport(finding, text, record, is_error, who, meeting)


def with_stacks(record: dict[str, Any], stacks: Sequence[str]) -> str:
    """The text of a report with the stacks below it. The report's record for JSON gets the stacks,
    too."""
    known = [text_of.Line(**line) for line in record["lines"]]
    record.update(text_of.shown([*known, *(text_of.Line(f"  {line}") for line in stacks)]))
    return str(record["text"])


def calls(found: Explanation, knot: Knot) -> frozenset[tuple[int, int]]:
    """The operations that cannot complete, as process and address of the call. For a request it is
    the call that started it."""
    return frozenset(
        (event.operation.process.number, event.operation.call.site.address)
        for rank in knot.ranks
        for wait in found.states[rank].waits
        for event in found.lacks(wait, lenient=True)
    )


class Remark(NamedTuple):
    """A report on processes that may continue. Reports of the same state have equal keys."""

    text: str
    key: object


def standing(processes: Sequence[Process], view: View, seconds: float) -> Iterator[Remark]:
    """Yield remarks on worlds in which nothing moves, but no deadlock is certain.

    Skip worlds in which no process waits or may wait, and worlds with processes on other nodes.
    """
    for world in worlds(processes):
        found = explain(world)
        states = found.states.values()
        waits = any(one.kind == "waits" or one.unknown or one.has_outside for one in states)
        if found.missing or not waits:
            continue
        first = f"remark: no MPI call has begun or returned for {seconds:g} s"
        if any(state.kind == "polls" for state in found.states.values()):
            first += ", except polls that found nothing"
        mark = view.mark(world.processes[0].number)
        lines = (f"  {line}" for line in Report(found, view).remaining_ranks(stand=True))
        text = "\n".join([f"{first}{mark and f' ({mark.strip()})'}", *lines])
        yield Remark(text, tuple((rank, _key(state)) for rank, state in found.states.items()))


def _key(state: State) -> object:
    # A polling process may test another request each time.
    polls = state.kind == "polls"
    calls = [wait.operation.call for wait in state.waits] if not polls else []
    return state.kind, tuple((call.procedure, call.site) for call in calls)


def _remarks(found: Explanation, knot: Knot, may_call: Callable[[int], bool]) -> list[str]:
    # The reasons why the hang may not be a deadlock.
    if found.certain(knot):
        return []
    ranks = [r for r in sorted(knot.ranks) if may_call(found.states[r].process.number)]
    whose = f"of {wording.ranks(ranks)}"
    return [f"  this is no deadlock if another thread {whose} calls MPI"] if ranks else []
