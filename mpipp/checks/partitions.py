# SPDX-License-Identifier: MIT
"""Are partitions that are marked ready ones of a partitioned send? (MPI-4.1, section 4.2.1)"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Operation, Process, partitions
from mpipp.errors import MpippError
from mpipp.model import Request


def check(process: Process) -> Findings:
    """Partitions that the send does not have, and requests of other operations."""
    for operation in process.operations:
        if operation.tid is not None and operation.call.procedure.startswith("MPI_Pready"):
            yield from _ready(operation)


def _ready(operation: Operation) -> Findings:
    process, call = operation.process, operation.call
    try:
        (known, *_) = (*process.registry.given(call, 1), ())
    except MpippError:  # the program's own memory
        return
    request = known[0] if len(known) == 1 else None
    if not isinstance(request, Request) or request.header.ended or request.header.null:
        return  # checks/handles.py
    parties = [operation.party(), process.made(request)]
    if process.registry.info.several_threads and not request.persistent:
        return  # another request may have the handle by now
    if not request.call.partitioned or request.call.dest is None:
        what = f"the request of {request.call.procedure} is none of a partitioned send"
        yield Finding.of("no-partitions", what, parties)
        return
    count = sum(buffer.peers for buffer in request.call.buffers)
    wrong = [one for one in partitions(call) if not 0 <= one < count]
    if wrong:
        what = f"partition {wrong[0]} is marked ready, but the send has {count} partitions"
        yield Finding.of("no-such-partition", what, parties)
