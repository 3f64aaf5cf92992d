# SPDX-License-Identifier: MIT
"""Check that the program does not use the buffer of a pending operation (MPI-4.1, section 3.7.2).

The wrapper guards buffers, and reports the accesses.
"""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.analysis.context import buffer_ownership
from mpipp.analysis.context.buffer_accesses import Access, accesses
from mpipp.analysis.context.process import Process
from mpipp.analysis.findings.finding import Evidence, Finding, Findings, Party
from mpipp.model import MEANWHILE, NEVER, Touch
from mpipp.render.phrases import Phrase

_MOVED = ", whose data had moved by the next MPI call"
_SIZE = ", in an access of {bytes}"
NOT_KNOWN = Phrase("mpipp does not know whether the data had moved")
RULES = ("touched-while-pending", "touched-once-moved")


def check(process: Process) -> Findings:
    """Yield loads and stores in the bytes of an operation that was pending at that time.

    If MPI had already moved the data when the process next called MPI, the access was harmless in
    this run. It is still an error, because no call before the access completes the operation.
    """
    for touch in process.registry.touches():
        for operation in process.operations:
            request = operation.request
            if request is not None and request.header.serial == touch.serial:
                yield from _of_operation(process, touch, accesses(operation))


def _of_operation(process: Process, touch: Touch, of: list[Access]) -> Findings:
    for access in of:
        element = next(access.names(touch.address), None)
        if element is not None and (touch.stores or access.writes):
            yield _of_element(process, touch, access, element)
            return


def _of_element(process: Process, touch: Touch, access: Access, element: Phrase) -> Finding:
    verb = "stores to" if touch.stores else "loads"
    operation, buffer = access.operation, access.buffer
    tid = operation.request.tid if operation.request is not None else 0
    threads = (touch.tid, tid) if touch.tid and tid and touch.tid != tid else None
    subject = Phrase.of(
        "{verb} {name}, at {address}{variable}{size}{thread}",
        verb=verb,
        name=element,
        address=touch.address,
        variable=in_variable(touch.variable),
        size=Phrase.of(_SIZE, bytes=touch.bytes) if touch.bytes else Phrase(""),
        thread=Phrase.of(", in thread {thread}", thread=threads[0]) if threads else Phrase(""),
    )
    by = Party(
        process.number,
        subject,
        "at",
        touch.site,
        None,
        (),
        Evidence(operation.call, operation.on, None, buffer.role, touch.address - buffer.address),
    )
    rule = "touched-once-moved" if touch.moved else "touched-while-pending"
    found = Finding.of(
        rule,
        [
            by,
            operation.party(*_details(touch, threads)),
            *_end(process, touch),
        ],
        "store" if touch.stores else "load",
        procedure=operation.call.procedure,
        wait_procedure=buffer_ownership.completing(operation.call),
        clause=_MOVED if touch.moved else "",
    )
    return buffer_ownership.of_kind(found, operation.call)


def in_variable(variable: str) -> Phrase:
    """Return the variable at an address: ", in faces+3968"; empty if it is unknown."""
    return Phrase.of(", in {variable}", variable=variable) if variable else Phrase("")


def _details(touch: Touch, threads: tuple[int, int] | None) -> Iterator[Phrase]:
    if threads:
        yield Phrase.of("started in thread {thread}", thread=threads[1])
    if touch.moved is False:
        yield Phrase("at the next MPI call of the process the data had not moved")
    elif touch.moved is None:
        yield NOT_KNOWN
    if touch.end == NEVER:
        yield Phrase("it was not completed before MPI_Finalize")


def _end(process: Process, touch: Touch) -> list[Party]:
    # The call that completes the operation. It began after the access, or has not returned yet.
    thread = process.threads[0] if process.threads and touch.end not in ("", NEVER) else None
    if thread is None or thread.call is None:
        return []
    call = thread.call
    is_late = touch.end != MEANWHILE
    end = f"{touch.end} it, came after" if is_late else "completes it, had not returned"
    what = Phrase.of("{procedure}, which {clause}", procedure=call.procedure, clause=end)
    return [Party(process.number, what, "called at", call.site, None, (), Evidence(call))]
