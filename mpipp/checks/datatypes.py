# SPDX-License-Identifier: MIT
"""Are the datatypes of all communication committed, and not freed? (MPI-4.1, section 5.1.9)"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Operation, Process
from mpipp.model import Buffer, DatatypeRecord

_RULE = "MPI-4.1, section 5.1.9: only a committed datatype may be used in communication"
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
    return Finding(
        "null-datatype",
        "error",
        f"{record.header.name} is used in communication",
        tuple(operation.party() for operation in operations[:_MOST]),
        _RULE,
        "pass a committed datatype: the variable may never have been set, "
        "or the datatype was freed through it",
        "MUST_ERROR_DATATYPE_NULL",
    )


def _freed(process: Process, operations: list[Operation], record: DatatypeRecord) -> Finding:
    active = [operation for operation in operations if _is_called(operation)]
    return Finding(
        "freed-datatype",
        "error",
        "a datatype is used that was freed",
        (*(operation.party() for operation in active[:_MOST]), process.made(record)),
        "MPI-4.1, section 5.1.9: a handle that was freed must not be used",
        "free the datatype after its last use",
        "MUST_ERROR_DATATYPE_UNKNOWN",
    )


def _uncommitted(process: Process, operations: list[Operation], record: DatatypeRecord) -> Finding:
    return Finding(
        "uncommitted-datatype",
        "error",
        "a datatype is used that is not committed",
        (*(operation.party() for operation in operations[:_MOST]), process.made(record)),
        _RULE,
        "call MPI_Type_commit after the last constructor and before the first communication",
        "MUST_ERROR_DATATYPE_NOT_COMMITED",
    )
