# SPDX-License-Identifier: MIT
"""Check that the data of a one-sided operation fit its destination.

The data are transferred like a message: the destination may be larger (MPI-4.1, sections 12.3.1 to
12.3.5).
"""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.context import signature_check
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.signature_check import Meeting
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import Buffer


def check(process: Process) -> Findings:
    """Yield the first buffer of each operation that does not match the buffer at the target."""
    for operation in process.operations:
        target = next((b for b in operation.call.buffers if "remote" in b.access), None)
        if target is not None and not _is_to_nobody(operation):
            found = (finding for finding in _compared(operation, target) if finding is not None)
            first = next(found, None)
            if first is not None:
                yield first


def _is_to_nobody(operation: Operation) -> bool:
    rank, around = operation.call.target_rank, operation.process.around
    return rank is None or around.constant_name(rank, "MPI_PROC_NULL") is not None


def _compared(operation: Operation, target: Buffer) -> Iterator[Finding | None]:
    call = operation.call
    rules = "transfer" if call.op is None else "accumulate"
    meeting = Meeting(False, ("reads", "writes"), rules, by=call.procedure)
    for buffer in operation.buffers():
        pair = (buffer, target) if "reads" in buffer.access else (target, buffer)
        if any("stale" in one.access for one in pair):
            continue
        read, written = (signature_check.buffer_data(operation, one) for one in pair)
        if read is not None and written is not None:
            yield signature_check.compare(read, written, meeting)
