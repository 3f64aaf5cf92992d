# SPDX-License-Identifier: MIT
"""Check that the attached buffer is large enough for buffered sends (MPI-4.1, section 3.6).

MPI stores a message in the buffer of its communicator, else in that of its session, else in that of
the process. mpipp does not know whether earlier messages are still there. But consecutive sends
need space for all their messages, if no call in between may be ordered after a receive.
"""

from __future__ import annotations

from mpipp.analysis.context.buffer_accesses import accesses
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings, Party
from mpipp.datatypes import memory
from mpipp.model import NOTHING_ATTACHED, Attachment, Comm, DatatypeRecord
from mpipp.render.phrases import Phrase

_ATTACHING = ("MPI_Buffer_attach", "MPI_Comm_attach_buffer")


def check(process: Process) -> Findings:
    """Yield buffered sends without enough space, sends of the buffer itself, repeated attaches."""
    for operation in process.operations:
        if _is_buffered(operation):
            yield from _sends(operation)
        elif operation.call.procedure.removesuffix("_c") in _ATTACHING:
            yield from _attaches(operation)


def _is_buffered(operation: Operation) -> bool:
    # A persistent send needs the space only when it is started.
    facts = operation.call.facts
    if facts.operation != "Bsend":
        return False
    if facts.form == "persistent":
        return operation.request is not None and operation.request.state == "inactive"
    return operation.tid is not None


def _sends(operation: Operation) -> Findings:
    attached, bytes = _attached(operation), _data(operation)
    overhead = operation.process.registry.constants.get("MPI_BSEND_OVERHEAD")
    if attached is None or not bytes or overhead is None or attached.state == "automatic":
        return
    inside = list(_inside(operation, attached))
    if inside:
        yield from inside
        return
    needed, room = bytes + overhead, attached.size if attached.state else 0
    if needed <= room:
        yield from _together(operation, attached, needed)
        return
    case, parties = "none", [operation.party()]
    if attached.state:
        detail = Phrase.of(
            "{size} of data, and MPI_BSEND_OVERHEAD, {overhead_size}",
            size=bytes,
            overhead_size=overhead,
        )
        case, parties = "small", [operation.party(detail), _attachment_party(operation, attached)]
    procedure = operation.call.procedure
    yield Finding.of(
        "attached-too-small", parties, case, procedure=procedure, size=room, needed_size=needed
    )


def _inside(operation: Operation, attached: Attachment) -> Findings:
    # MPI uses the attached buffer as it likes, so the program must not send from it.
    if not attached.state or attached.size <= 0:
        return
    space = memory.span(attached.address, attached.address + attached.size)
    for access in accesses(operation):
        both = memory.shared(access.region, space)
        if both is not None:
            start, end = both
            detail = Phrase.of(
                "reads [{address}, {end_address}) through {name}",
                address=start,
                end_address=end,
                name=access.name(start),
            )
            parties = [operation.party(detail), _attachment_party(operation, attached)]
            yield Finding.of("attached-in-use", parties, procedure=operation.call.procedure)
            return


def _together(operation: Operation, attached: Attachment, needed: int) -> Findings:
    process, call, sent = operation.process, operation.call, attached.unheard
    if sent is None or operation.request is not None or process.registry.info.concurrent:
        return
    whole = sent.bytes + needed
    if sent.last + 1 != call.serial or whole <= attached.size:
        return
    count = sent.messages + 1
    subject = Phrase.of("the first of the {count} messages", count=count)
    first = Party(process.number, subject, "sent at", sent.site)
    yield Finding.of(
        "attached-too-small-for-all",
        [operation.party(), first, _attachment_party(operation, attached)],
        count=count,
        needed_size=whole,
        size=attached.size,
    )


def _attached(operation: Operation) -> Attachment | None:
    # The buffer in which MPI stores the message; None if it is unknown.
    process, call = operation.process, operation.call
    comm = process.usable("comm", call.comm) if call.comm is not None else None
    nobody = call.dest is None or process.around.constant_name(call.dest, "MPI_PROC_NULL")
    if not isinstance(comm, Comm) or nobody:
        return None
    found, info = comm.attached, process.registry.info
    if not found.state:
        # The communicators of sessions with attached buffers are not recorded.
        if info.of_sessions and not comm.header.predefined:
            return None
        found = info.attached
    return None if found.state == "unknown" else found


def _data(operation: Operation) -> int:
    # A lower bound of the result of MPI_Pack_size, in bytes.
    (buffer,) = operation.call.buffers
    record = buffer.datatype
    if not isinstance(record, DatatypeRecord) or record.header.null or buffer.count < 0:
        return 0
    return buffer.count * record.tree.size


def _attaches(operation: Operation) -> Findings:
    process, call = operation.process, operation.call
    found = process.registry.info.attached
    if call.comm is not None:
        comm = process.usable("comm", call.comm)
        found = comm.attached if isinstance(comm, Comm) else NOTHING_ATTACHED
    if "size" in call.arguments and found.state in ("attached", "automatic"):
        yield Finding.of("attached-twice", [operation.party(), _attachment_party(operation, found)])


def _attachment_party(operation: Operation, attached: Attachment) -> Party:
    subject = Phrase.of("the attached buffer, {size} bytes", size=attached.size)
    if attached.state == "automatic":
        subject = Phrase("the attached buffer, MPI_BUFFER_AUTOMATIC")
    return Party(operation.process.number, subject, "attached at", attached.site)
