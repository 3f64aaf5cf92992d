# SPDX-License-Identifier: MIT
"""Do communication buffers lie in memory that the process has?"""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Gap, Process
from mpipp.checks.uses import Use, uses
from mpipp.datatypes import overlap
from mpipp.datatypes.overlap import Region, union


def check(process: Process) -> Findings:
    """Buffers that reach into memory that is not there, or that cannot be written."""
    if not process.gaps:
        return
    unread = _region([gap for gap in process.gaps if not gap.mapped])
    unwritten = _region(process.gaps)
    for operation in process.operations:
        for use in uses(operation):
            shared = overlap.shared(use.region, unread)
            if shared is not None:
                yield _outside(use, shared[0])
            elif use.writes:
                shared = overlap.shared(use.region, unwritten)
                if shared is not None:
                    yield _read_only(use, shared[0])


def _region(gaps: Sequence[Gap]) -> Region:
    return union([overlap.span(gap.start, gap.end) for gap in gaps])


def _outside(use: Use, byte: int) -> Finding:
    first = byte == use.region.low
    return Finding.of(
        "unmapped-buffer",
        f"{use.buffer.role} of {use.operation.call.procedure} "
        + ("lies in" if first else "reaches into")
        + f" memory that the process does not have, at {byte:#x}",
        [use.operation.party(f"{use.verb} {use.name(byte)}")],
    )


def _read_only(use: Use, byte: int) -> Finding:
    return Finding.of(
        "read-only-buffer",
        f"{use.operation.call.procedure} writes to {use.buffer.role} in memory "
        f"that is read-only, at {byte:#x}",
        [use.operation.party(f"{use.verb} {use.name(byte)}")],
    )
