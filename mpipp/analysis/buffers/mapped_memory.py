# SPDX-License-Identifier: MIT
"""Do communication buffers lie in memory that the process has?"""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.analysis.context.buffer_accesses import Access, accesses
from mpipp.analysis.context.process import Gap, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.datatypes import memory
from mpipp.datatypes.memory import Region, union


def check(process: Process) -> Findings:
    """Buffers that reach into memory that is not there, or that cannot be written."""
    if not process.gaps:
        return
    unread = _region([gap for gap in process.gaps if not gap.mapped])
    unwritten = _region(process.gaps)
    for operation in process.operations:
        if operation.may_be_completed:
            continue
        for access in accesses(operation):
            shared = memory.shared(access.region, unread)
            if shared is not None:
                yield _outside(access, shared[0])
            elif access.writes:
                shared = memory.shared(access.region, unwritten)
                if shared is not None:
                    yield _read_only(access, shared[0])


def _region(gaps: Sequence[Gap]) -> Region:
    return union([memory.span(gap.start, gap.end) for gap in gaps])


def _outside(access: Access, byte: int) -> Finding:
    return Finding.of(
        "unmapped-buffer",
        [access.operation.party(access.used(byte))],
        "whole" if byte == access.region.low else "part",
        procedure=access.operation.call.procedure,
        argument=access.buffer.role,
        address=byte,
    )


def _read_only(access: Access, byte: int) -> Finding:
    return Finding.of(
        "read-only-buffer",
        [access.operation.party(access.used(byte))],
        procedure=access.operation.call.procedure,
        argument=access.buffer.role,
        address=byte,
    )
