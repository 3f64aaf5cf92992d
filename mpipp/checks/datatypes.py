# SPDX-License-Identifier: MIT
"""Are the datatypes of all communication committed, and not freed? (MPI-4.1, section 5.1.9)"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings, Party
from mpipp.checks.process import Operation, Process
from mpipp.model import Buffer, DatatypeRecord

_MOST = 3  # operations named with one datatype


def check(process: Process) -> Findings:
    """Datatypes in use that must not be, one finding for each datatype."""
    used: dict[int, list[tuple[Operation, DatatypeRecord]]] = {}
    for operation in process.operations:
        for buffer in operation.buffers():
            for record in _datatypes(buffer):
                used.setdefault(record.header.record, []).append((operation, record))
    for pairs in used.values():
        record = pairs[0][1]
        operations = list({id(operation): operation for operation, _ in pairs}.values())
        if record.header.null:
            yield _null(operations, record)
        elif record.header.freed and _was_freed_before(process, operations):
            yield _freed(process, operations, record)
        elif not (record.committed or record.header.predefined or record.header.freed):
            yield _uncommitted(process, operations, record)


def _datatypes(buffer: Buffer) -> list[DatatypeRecord]:
    if buffer.parts is not None and buffer.datatype is None:
        found = [part.datatype for part in buffer.parts if part.count]
    else:
        found = [buffer.datatype]
    return [record for record in found if isinstance(record, DatatypeRecord)]


def _was_freed_before(process: Process, operations: list[Operation]) -> bool:
    # A pending operation, or a split collective one, keeps its datatype: it may be freed after the
    # start. So may the one of an active call, by another thread.
    return any(_is_called(operation) for operation in operations) and len(process.threads) == 1


def _is_called(operation: Operation) -> bool:
    return operation.tid is not None


def _null(operations: list[Operation], record: DatatypeRecord) -> Finding:
    what = f"{record.header.name} is used in communication"
    return Finding.of("null-datatype", what, _parties(operations))


def _freed(process: Process, operations: list[Operation], record: DatatypeRecord) -> Finding:
    active = [operation for operation in operations if _is_called(operation)]
    parties = [*_parties(active), process.made(record)]
    return Finding.of("freed-datatype", "a datatype is used that was freed", parties)


def _uncommitted(process: Process, operations: list[Operation], record: DatatypeRecord) -> Finding:
    what = "a datatype is used that is not committed"
    return Finding.of("uncommitted-datatype", what, [*_parties(operations), process.made(record)])


def _parties(operations: list[Operation]) -> list[Party]:
    return [operation.party() for operation in operations[:_MOST]]
