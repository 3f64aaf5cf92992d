# SPDX-License-Identifier: MIT
"""Check that the program does not free the buffer of a pending operation.

The wrapper reports freed memory if buffers are guarded (MPI-4.1, section 3.7.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mpipp.analysis.context import buffer_ownership
from mpipp.analysis.context.buffer_accesses import Access, accesses
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Evidence, Finding, Findings, Party
from mpipp.datatypes.memory import block, shared
from mpipp.model import Site
from mpipp.render.phrases import Phrase


class FreedMemory(NamedTuple):
    """Memory [start, end) that was freed while an operation was pending, and the place."""

    start: int
    end: int
    site: Site


def check(process: Process, given: Iterable[FreedMemory]) -> Findings:
    """Yield the findings for freed memory with bytes of a pending operation of the process."""
    pending = [one for one in process.operations if one.request is not None]
    for memory in given:
        found = (_finding(process, memory, one) for one in pending)
        yield from (one for one in found if one is not None)


def _finding(process: Process, memory: FreedMemory, operation: Operation) -> Finding | None:
    for access in accesses(operation):
        common = shared(access.region, block(memory.start, memory.end))
        if common is not None:
            return _of_bytes(process, memory, access, common[0])
    return None


def _of_bytes(process: Process, memory: FreedMemory, access: Access, byte: int) -> Finding:
    operation, buffer = access.operation, access.buffer
    subject = Phrase.of(
        "frees the memory at {address}, which contains {name}",
        address=memory.start,
        name=access.name(byte),
    )
    evidence = Evidence(operation.call, operation.on, None, buffer.role, byte - buffer.address)
    found = Finding.of(
        "freed-while-pending",
        [
            Party(process.number, subject, "at", memory.site, None, (), evidence),
            operation.party(),
        ],
        procedure=operation.call.procedure,
        wait_procedure=buffer_ownership.completing(operation.call),
    )
    return buffer_ownership.of_kind(found, operation.call)
