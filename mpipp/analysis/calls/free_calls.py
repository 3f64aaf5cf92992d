# SPDX-License-Identifier: MIT
"""Check that objects may be freed (MPI-4.1, sections 2.5.1, 7.4.3 and 11.10.4)."""

from __future__ import annotations

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.rules.handles import CLASSES
from mpipp.model import Object
from mpipp.render.phrases import Phrase

_RULES = {"MPI_Comm_free": "freed-in-use", "MPI_Comm_disconnect": "disconnected-in-use"}
_ARGUMENTS = {"MPI_Comm_free": "comm", "MPI_Comm_disconnect": "comm", "MPI_Op_free": "op"}


def check(process: Process) -> Findings:
    """Yield frees of predefined objects, and of communicators with pending operations."""
    for operation in process.operations:
        kind = _ARGUMENTS.get(operation.call.procedure)
        handle = operation.call.arguments.get(kind) if kind is not None else None
        if kind is None or operation.tid is None or not isinstance(handle, int):
            continue
        found = process.usable(kind, handle)
        if found is not None and found.header.predefined:
            yield _predefined(operation, found)
        elif found is not None and kind == "comm" and not process.registry.info.concurrent:
            yield from _in_use(operation, found)


def _predefined(operation: Operation, found: Object) -> Finding:
    return Finding.of(
        "predefined-object-freed",
        [operation.party()],
        procedure=operation.call.procedure,
        constant=found.header.name,
        error_class=CLASSES[found.header.kind],
    )


def _in_use(operation: Operation, comm: Object) -> Findings:
    # Counts only requests with an ordinal: others belong to an older communicator with the same
    # handle.
    pending = [
        one
        for one in operation.process.operations
        if one.request is not None
        and one.request.pending
        and one.call.comm == comm.header.handle
        and one.call.ordinal is not None
    ]
    if not pending:
        return
    first, others = pending[0], len(pending) - 1
    other = "and {others} others" if others > 1 else "and {others} other"
    more = [Phrase.of(other, others=others)] if others else []
    procedure = operation.call.procedure
    parties = [operation.party(), first.party(*more)]
    case = "several" if others else "one"
    yield Finding.of(_RULES[procedure], parties, case, procedure=procedure, times=len(pending))
