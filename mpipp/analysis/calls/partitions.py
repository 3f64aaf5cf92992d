# SPDX-License-Identifier: MIT
"""Check that a request has the partitions that are marked ready or tested (MPI-4.1, 4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.analysis.context.process import Operation, Process, partitions
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.common.errors import MpippError
from mpipp.model import Request


def check(process: Process) -> Findings:
    """Yield partitions that do not exist or are marked twice, and requests of other operations."""
    for operation in process.operations:
        procedure = operation.call.procedure
        if operation.tid is None or not procedure.startswith(("MPI_Pready", "MPI_Parrived")):
            continue
        request = _passed_request(operation)
        if request is None:
            continue
        parties = [operation.party(), process.object_party(request)]
        if procedure.startswith("MPI_Pready"):
            yield from _ready(operation, request, parties)
        else:
            yield from _arrived(operation, request, parties)


def _passed_request(operation: Operation) -> Request | None:
    process = operation.process
    try:
        (known, *_) = (*process.registry.passed_requests(operation.call, 1), ())
    except MpippError:  # the handle is in the program's memory
        return None
    request = known[0] if len(known) == 1 else None
    if not isinstance(request, Request) or request.header.is_ended or request.header.null:
        return None  # reported by analysis/calls/handles.py
    # With several threads another request may have the handle now.
    sure = request.persistent or not process.registry.info.concurrent
    return request if sure else None


def _count(request: Request) -> int:
    return sum(buffer.peers for buffer in request.call.buffers)


def _outside(request: Request, given: Sequence[int]) -> int | None:
    return next((one for one in given if not 0 <= one < _count(request)), None)


def _ready(operation: Operation, request: Request, parties: list[Party]) -> Findings:
    if not request.call.partitioned or request.call.dest is None:
        yield Finding.of("no-partitions", parties, procedure=request.call.procedure)
        return
    given, count = partitions(operation.call), _count(request)
    outside, again = _outside(request, given), _repeated_partition(request, given)
    if outside is not None:
        yield Finding.of("no-such-partition", parties, index=outside, count=count)
    elif request.state != "active" and len(given):
        yield Finding.of("ready-before-start", parties, index=given[0])
    elif again is not None:
        yield Finding.of("ready-again", parties, index=again)


def _repeated_partition(request: Request, given: Sequence[int]) -> int | None:
    marks = request.marks or ()
    seen: set[int] = set()
    for one in given:
        if one in seen or (0 <= one < len(marks) and marks[one]):
            return one
        seen.add(one)
    return None


def _arrived(operation: Operation, request: Request, parties: list[Party]) -> Findings:
    if not request.call.partitioned or request.call.source is None:
        yield Finding.of("no-arrivals", parties, procedure=request.call.procedure)
        return
    outside = _outside(request, partitions(operation.call))
    if outside is not None:
        yield Finding.of("no-such-arrival", parties, index=outside, count=_count(request))
