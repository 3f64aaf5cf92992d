# SPDX-License-Identifier: MIT
"""Where may MPI_IN_PLACE stand? (MPI-4.1, chapter 6, at each collective procedure)"""

from __future__ import annotations

import re
from typing import NamedTuple

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Operation, Process
from mpipp.model import Call, Comm

_PROCEDURE = re.compile(r"MPI_I?(\w+?)(_init)?(_c)?$")


class Place(NamedTuple):
    """The argument that MPI_IN_PLACE may stand for, at the root only or at every process."""

    role: str
    root_only: bool


_AT_ROOT = ("gather", "gatherv", "reduce")
_EVERYWHERE = (
    "allgather allgatherv alltoall alltoallv alltoallw allreduce reduce_scatter "
    "reduce_scatter_block scan exscan"
).split()
PLACES = {
    **{name: Place("sendbuf", True) for name in _AT_ROOT},
    **{name: Place("recvbuf", True) for name in ("scatter", "scatterv")},
    **{name: Place("sendbuf", False) for name in _EVERYWHERE},
}


def place(procedure: str) -> Place | None:
    """Where `procedure` may have MPI_IN_PLACE; None: nowhere."""
    found = _PROCEDURE.match(procedure)
    return PLACES.get(found.group(1).lower()) if found else None


def check(process: Process) -> Findings:
    """Every MPI_IN_PLACE where it must not stand."""
    for operation in process.operations:
        for buffer in operation.call.buffers:
            if "remote" not in buffer.access and process.in_place(buffer):
                yield from _given(operation, buffer.role)


def _given(operation: Operation, role: str) -> Findings:
    call = operation.call
    allowed = place(call.procedure)
    elsewhere = ""
    if allowed is None:
        why = f"{call.procedure} does not take it"
    elif allowed.role != role:
        why = f"{call.procedure} takes it as {allowed.role} only"
        if not allowed.root_only:
            elsewhere = f" and MPI_IN_PLACE as {allowed.role}"
    elif _inter(operation):
        why = "an intercommunicator has no place for it"
    elif allowed.root_only and not _is_root(operation):
        why = f"only the root of {call.procedure} may pass it"
        elsewhere = " where the process is not the root"
    else:
        return
    yield Finding.of(
        "in-place",
        f"MPI_IN_PLACE is passed as {role}, but {why}",
        [operation.party()],
        procedure=_plain(call),
        role=role,
        elsewhere=elsewhere,
    )


def _plain(call: Call) -> str:
    found = _PROCEDURE.match(call.procedure)
    return f"MPI_{found.group(1).capitalize()}" if found else call.procedure


def _comm(operation: Operation) -> Comm | None:
    if operation.call.comm is None:
        return None
    found = operation.process.registry.find("comm", operation.call.comm)
    return found if isinstance(found, Comm) else None


def _inter(operation: Operation) -> bool:
    comm = _comm(operation)
    return comm is not None and comm.inter


def _is_root(operation: Operation) -> bool:
    comm = _comm(operation)
    return comm is None or comm.rank == operation.call.root
