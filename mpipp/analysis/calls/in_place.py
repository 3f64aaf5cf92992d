# SPDX-License-Identifier: MIT
"""Check of MPI_IN_PLACE (MPI-4.1, chapter 6, at each collective procedure)."""

from __future__ import annotations

from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings


def check(process: Process) -> Findings:
    """Yield every MPI_IN_PLACE that is not allowed."""
    for operation in process.operations:
        for buffer in operation.call.buffers:
            if "remote" not in buffer.access and process.in_place(buffer):
                yield from _check_role(operation, buffer.role)


def _check_role(operation: Operation, role: str) -> Findings:
    call = operation.call
    allowed = call.facts.in_place
    elsewhere = ""
    if allowed is None:
        why = f"{call.procedure} does not take it"
    elif allowed.role != role:
        why = f"{call.procedure} takes it only as {allowed.role}"
        if allowed.where != "root":
            elsewhere = f" and MPI_IN_PLACE as {allowed.role}"
    elif _inter(operation):
        why = "intercommunicators do not support it"
    elif allowed.where == "root" and not _is_root(operation):
        why = f"only the root of {call.procedure} may pass it"
        elsewhere = " in processes other than the root"
    else:
        return
    yield Finding.of(
        "in-place",
        [operation.party()],
        procedure=f"MPI_{call.facts.operation}",
        argument=role,
        why=why,
        clause=elsewhere,
    )


def _inter(operation: Operation) -> bool:
    return operation.comm is not None and operation.comm.inter


def _is_root(operation: Operation) -> bool:
    return operation.comm is None or operation.comm.rank == operation.call.root
