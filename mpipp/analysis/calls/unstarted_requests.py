# SPDX-License-Identifier: MIT
"""Check for persistent requests that were waited for and never started (MPI-4.1, section 3.9)."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings, with_repeat_count
from mpipp.common.errors import MpippError
from mpipp.model import Broken, Request, Site


def check(process: Process) -> Findings:
    """Yield unstarted requests that are being freed, and at the end all others, by place.

    A wait for a request without an active operation returns at once. A program may wait in this way
    after the operation is complete, or before the first start. But a request that was never started
    has sent or received nothing.
    """
    for operation in process.operations:
        if operation.call.procedure == "MPI_Request_free":
            for request in _freed(operation):
                yield _finding(process, request)
    if at_the_end(process):
        left: dict[Site, list[Request]] = {}
        for found in process.registry.objects("request"):
            if isinstance(found, Request) and _is_unstarted(found):
                left.setdefault(found.header.site, []).append(found)
        for requests in left.values():
            yield with_repeat_count(_finding(process, requests[0]), len(requests) - 1)


def _freed(operation: Operation) -> Iterator[Request]:
    try:
        given = operation.process.registry.passed_requests(operation.call, 1)
    except MpippError:  # the handle is in the caller's memory
        return
    for known in given:
        if len(known) == 1 and not isinstance(known[0], Broken):
            request = known[0]
            if isinstance(request, Request) and _is_unstarted(request):
                yield request


def _is_unstarted(request: Request) -> bool:
    idle = request.persistent and "idle" in request.header.flags
    return idle and request.start is None and not request.header.is_ended


def _finding(process: Process, request: Request) -> Finding:
    return Finding.of("never-started", [process.object_party(request)])
