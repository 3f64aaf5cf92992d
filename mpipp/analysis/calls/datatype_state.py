# SPDX-License-Identifier: MIT
"""Check that the datatypes in communication and file views are committed and not freed.

See MPI-4.1, section 5.1.9.
"""

from __future__ import annotations

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.model import Buffer, DatatypeRecord

_MOST = 3  # operations that a finding lists


def check(process: Process) -> Findings:
    """Yield the invalid datatypes in use, one finding for each datatype."""
    for operation in process.operations:
        yield from _of_view(operation)
    used: dict[int, list[tuple[Operation, Buffer, DatatypeRecord]]] = {}
    for operation in process.operations:
        there = [buffer for buffer in operation.call.buffers if "remote" in buffer.access]
        for buffer in (*operation.buffers(), *there):
            for record in _datatypes(buffer):
                found = used.setdefault(record.header.record, [])
                found.append((operation, buffer, record))
    for uses in used.values():
        record = uses[0][2]
        operations = list({id(operation): operation for operation, _, _ in uses}.values())
        stale = {id(one): one for one, buffer, _ in uses if _was_freed_before(one, buffer)}
        if record.header.null:
            yield _null(operations, record)
        elif record.header.freed and stale:
            yield _freed(process, list(stale.values()), record)
        elif not (record.committed or record.header.predefined or record.header.freed):
            yield _uncommitted(process, operations, record)


def _of_view(operation: Operation) -> Findings:
    # The datatypes of a file view (MPI-4.1, section 14.3).
    if operation.tid is None:
        return
    for name, _, record in operation.call.given_types:
        if not isinstance(record, DatatypeRecord):
            continue
        header, made = record.header, operation.process.object_party(record)
        if header.null:
            party = [operation.party()]
            yield Finding.of("null-view", party, argument=name, constant=header.name)
        elif header.freed and not operation.process.registry.info.concurrent:
            freeing = operation.process.freeing_call(record)
            yield Finding.of("freed-view", [operation.party(), made, *freeing], argument=name)
        elif not (record.committed or header.predefined or header.freed):
            yield Finding.of("uncommitted-view", [operation.party(), made], argument=name)


def _datatypes(buffer: Buffer) -> list[DatatypeRecord]:
    if buffer.shares is not None and buffer.datatype is None:
        found = [share.datatype for share in buffer.shares if share.count]
    else:
        found = [buffer.datatype]
    return [record for record in found if isinstance(record, DatatypeRecord)]


def _was_freed_before(operation: Operation, buffer: Buffer) -> bool:
    # A pending operation, also a split collective one, keeps its datatype after a free. Another
    # thread may free the datatype of an active call. The wrapper records its state at the start of
    # the call, but not for arrays of datatypes.
    if operation.tid is None:
        return False
    in_array = buffer.shares is not None and buffer.datatype is None
    several = operation.process.registry.info.concurrent
    return not several if in_array else "stale" in buffer.access


def _null(operations: list[Operation], record: DatatypeRecord) -> Finding:
    return Finding.of("null-datatype", _parties(operations), constant=record.header.name)


def _freed(process: Process, operations: list[Operation], record: DatatypeRecord) -> Finding:
    parties = [*_parties(operations), process.object_party(record)]
    return Finding.of("freed-datatype", [*parties, *process.freeing_call(record)])


def _uncommitted(process: Process, operations: list[Operation], record: DatatypeRecord) -> Finding:
    return Finding.of("uncommitted-datatype", [*_parties(operations), process.object_party(record)])


def _parties(operations: list[Operation]) -> list[Party]:
    return [operation.party() for operation in operations[:_MOST]]
