# SPDX-License-Identifier: MIT
"""The calls of processes around a finding, in its channel, side by side by ordinal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Finding
from mpipp.common.errors import MpippError
from mpipp.model import Call, Comm, Site, Stretch, Thread
from mpipp.render import one_line
from mpipp.render.object_structs import Surroundings

_AROUND = 3  # ordinals before and after
_TOGETHER = "collectives"
_MOST = 8  # lanes, and groups of processes

Where = Callable[[Process, Site], str]  # returns a source line, or ""
Label = Callable[..., str]


class _Lane(NamedTuple):
    # The calls of a process in one channel of a communicator.
    process: Process
    comm: Comm
    sequence: str
    last: int  # ordinal
    stretches: list[Stretch]
    times: Mapping[int, int]  # by ordinal: nanoseconds on a clock that all lanes share


def timeline(
    of: Finding, processes: Sequence[Process], where: Where, label: Label
) -> dict[str, Any]:
    """The calls before and after the calls of a finding, and the last activity of each process."""
    found: dict[str, Any] = {"title": "", "lanes": [], "rows": [], "before": 0, "after": 0}
    try:
        lanes, ordinal, title = _lanes(of, processes)
        if lanes:
            found["title"] = title
            found["lanes"] = [_title(lane, label) for lane in lanes]
            found.update(_rows(lanes, ordinal, where))
    except MpippError:  # the checks report damaged records
        pass
    found["now"] = _activities(processes, where, label)
    return found


def _activities(processes: Sequence[Process], where: Where, label: Label) -> list[dict[str, str]]:
    # Processes with the same activity share a line.
    groups: dict[str, list[int]] = {}
    for process in processes:
        groups.setdefault(last_activity(process, where), []).append(process.number)
    found = [
        {"process": label(*numbers), "text": text}
        for text, numbers in sorted(groups.items(), key=lambda group: group[1])
    ]
    return found[:_MOST]


def last_activity(process: Process, where: Where) -> str:
    """The current or last activity of a process."""
    try:
        for thread in process.threads:
            if isinstance(thread, Thread) and thread.call is not None:
                return f"in {thread.call.procedure}{_called(where(process, thread.call.site))}"
        last = next(process.registry.last_calls(), None)
    except MpippError as error:
        return str(error)
    if last is None:
        return "has not called MPI"
    return f"after {last.procedure}{_called(where(process, last.site))}"


def _called(place: str) -> str:
    return f", called at {place}" if place else ""


def _title(lane: _Lane, label: Label) -> str:
    name = label(lane.process.number)
    return name if lane.sequence == _TOGETHER else f"{name} {lane.sequence.split()[-1]}"


def _lanes(of: Finding, processes: Sequence[Process]) -> tuple[list[_Lane], int, str]:
    # Find the first call of the finding that has an ordinal, and its channel in each process.
    for party in of.parties:
        call, process = party.evidence.call, processes[party.process]
        comm = _comm(process, party.evidence.comm, call)
        if call is None or call.ordinal is None or comm is None:
            continue
        if call.facts.over == "comm":
            return _members(comm, processes), call.ordinal, f"collective calls on {_name(comm)}"
        lanes: dict[object, _Lane] = {}
        for one in of.parties:
            process, own = processes[one.process], one.evidence.call
            peers = (own.dest, own.source, own.tag) if own is not None else ()
            for lane in _of_message(process, one.evidence.comm, own):
                # Several parties of the finding may have the same call.
                lanes.setdefault((one.process, lane.comm.identity, *peers), lane)
        return list(lanes.values()), call.ordinal, f"messages with tag {call.tag} on {_name(comm)}"
    return [], 0, ""


def _comm(process: Process, known: Comm | None, call: Call | None) -> Comm | None:
    if known is not None or call is None or call.comm is None:
        return known
    found = process.usable("comm", call.comm)
    return found if isinstance(found, Comm) else None


def _name(comm: Comm) -> str:
    return comm.header.name or f"a communicator of {comm.size} processes"


def _members(comm: Comm, processes: Iterable[Process]) -> list[_Lane]:
    found: list[tuple[int, _Lane]] = []
    for process in processes:
        for other in process.registry.objects("comm", ended=True):
            if isinstance(other, Comm) and other.identity == comm.identity:
                found += ((other.rank, lane) for lane in _lane(process, other, _TOGETHER))
    found.sort(key=lambda one: one[0])
    return [lane for _, lane in found[:_MOST]]


def _of_message(process: Process, known: Comm | None, call: Call | None) -> list[_Lane]:
    comm = _comm(process, known, call)
    if call is None or comm is None or call.tag is None:
        return []
    way, peer = ("sends", call.dest) if call.dest is not None else ("receives", call.source)
    prefix = "partitioned " if call.partitioned else ""
    return _lane(process, comm, prefix + way, peer, call.tag)


def _lane(
    process: Process, comm: Comm, sequence: str, peer: int | None = None, tag: int = 0
) -> list[_Lane]:
    for channel in comm.channels:
        same = peer is None or (channel.peer, channel.tag) == (peer, tag)
        if channel.sequence == sequence and same:
            past, times = (
                process.registry.recorded_calls(comm, channel),
                process.registry.times(channel),
            )
            return [_Lane(process, comm, sequence, channel.count, past, times)]
    # The process has no collective calls yet.
    return [_Lane(process, comm, sequence, 0, [], {})] if sequence == _TOGETHER else []


def _rows(lanes: Sequence[_Lane], ordinal: int, where: Where) -> dict[str, Any]:
    # The newest call of a running process may not be recorded yet.
    last = max(lane.last - (not at_the_end(lane.process)) for lane in lanes)
    first, end = max(1, ordinal - _AROUND), max(ordinal, min(last, ordinal + _AROUND))
    # Processes on other nodes have no times, because their clocks differ.
    begun = (lane.process.registry.info.started_at for lane in lanes if lane.times)
    begin = min(begun, default=0)
    rows = [
        {
            "ordinal": number,
            "here": number == ordinal,
            "cells": [_cell(lane, number, begin, where) for lane in lanes],
        }
        for number in range(first, end + 1)
    ]
    return {"rows": rows, "before": first - 1, "after": max(0, last - end)}


def _cell(lane: _Lane, ordinal: int, begin: int, where: Where) -> dict[str, object]:
    if ordinal > lane.last:
        return {"call": "", "data": "", "place": "", "seconds": None}
    call = _call(lane, ordinal)
    if call is None:
        return {"call": "?", "data": "not kept", "place": "", "seconds": None}
    around: Surroundings = lane.process.around
    time = lane.times.get(ordinal)
    return {
        "call": call.procedure,
        "data": ", ".join(one_line.data(call, around)),
        "place": where(lane.process, call.begun),
        "seconds": None if time is None else (time - begin) / 1e9,
    }


def _call(lane: _Lane, ordinal: int) -> Call | None:
    for stretch in lane.stretches:
        if stretch.first <= ordinal < stretch.end:
            return stretch.at(ordinal).call
    # A collective call enters the history only when it returns, so also look for an active call.
    for operation in lane.process.operations if lane.sequence == _TOGETHER else ():
        call, comm = operation.call, operation.comm
        same = comm is not None and comm.identity == lane.comm.identity
        if same and call.ordinal == ordinal and call.facts.over == "comm":
            return call
    return None
