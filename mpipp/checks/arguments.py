# SPDX-License-Identifier: MIT
"""Are the arguments of a call ones that the standard allows: counts, ranks, tags?"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Operation, Process
from mpipp.model import Comm, Win

_NEGATIVE = "MUST_ERROR_INTEGER_NEGATIVE"
# What may stand in place of a rank or tag.
_RANKS = {
    "dest": ("MPI_PROC_NULL",),
    "source": ("MPI_PROC_NULL", "MPI_ANY_SOURCE"),
    "root": (),
    "target_rank": ("MPI_PROC_NULL",),
}
_ROOTS = ("MPI_PROC_NULL", "MPI_ROOT")  # on intercommunicators (MPI-4.1, section 6.2.3)
_TAGS = {"tag": ("MPI_ANY_TAG",), "recvtag": ("MPI_ANY_TAG",)}


def check(process: Process) -> Findings:
    """Arguments out of range, each with the call it is of."""
    for operation in process.operations:
        yield from _counts(operation)
        yield from _ranks(operation)
        yield from _tags(operation)


def _counts(operation: Operation) -> Findings:
    for buffer in operation.buffers():
        counts = [buffer.count] if buffer.parts is None else [p.count for p in buffer.parts]
        for peer, count in enumerate(counts):
            if count < 0:
                of = "" if buffer.parts is None else f" for {operation.peer(peer)}"
                yield _finding(
                    operation,
                    f"the count {count} of {buffer.role}{of} is negative",
                    "MPI-4.1, section 3.2.2: a count must not be negative",
                    "look where the count is computed: a sum too large for an int is negative",
                    _NEGATIVE,
                )
                break


def _ranks(operation: Operation) -> Findings:
    comm = _comm(operation)
    if comm is None:
        return
    size = comm.remote_size if comm.inter else comm.size
    for name, constants in _RANKS.items():
        value = getattr(operation.call, name)
        if value is None or 0 <= value < size:
            continue
        if name == "root" and comm.inter:
            constants = _ROOTS
        if operation.process.around.constant_name(value, *constants):
            continue
        yield _finding(
            operation,
            f"{name} is {value}, but the communicator has {_ranks_of(size)}",
            "MPI-4.1, section 3.2.3: a rank must be one of the communicator's group",
            "pass one of these" + (f", or {' or '.join(constants)}" if constants else ""),
            _must_of_rank(name, value),
        )


def _must_of_rank(name: str, value: int) -> str:
    if name == "root":
        return "MUST_ERROR_ROOT_NOT_IN_COMM"
    return _NEGATIVE if value < 0 else "MUST_ERROR_INTEGER_GREATER_EQUAL_COMM_SIZE"


def _ranks_of(size: int) -> str:
    return f"the ranks 0 to {size - 1}" if size > 1 else "only the rank 0"


def _comm(operation: Operation) -> Comm | None:
    # The one that ranks are of.
    registry = operation.process.registry
    handle = operation.call.comm
    if operation.call.win is not None:
        window = registry.find("win", operation.call.win)
        handle = window.comm if isinstance(window, Win) else None
    if handle is None:
        return None
    comm = registry.find("comm", handle)
    if not isinstance(comm, Comm) or comm.header.freed or comm.header.null:
        return None
    if _may_outlive_comm(operation) and not comm.header.predefined:
        return None
    return comm


def _may_outlive_comm(operation: Operation) -> bool:
    # Windows and requests outlive the communicator, and its handle may be another's then. Requests
    # lose their ordinal with it.
    if operation.call.win is not None:
        return True
    return operation.request is not None and operation.call.ordinal is None


def _tags(operation: Operation) -> Findings:
    for name, constants in _TAGS.items():
        value = getattr(operation.call, name)
        if value is None or value >= 0:
            continue
        sends = operation.call.dest is not None and name == "tag"  # of a send-receive, too
        receives = operation.call.source is not None and not sends
        if receives and operation.process.around.constant_name(value, *constants):
            continue
        yield _finding(
            operation,
            f"{name} is {value}, and a tag must not be negative",
            "MPI-4.1, section 3.2.3: tags are 0 to MPI_TAG_UB",
            "pass a tag from 0 to MPI_TAG_UB" + (", or MPI_ANY_TAG" if receives else ""),
            _NEGATIVE,
        )


def _finding(operation: Operation, what: str, rule: str, advice: str, must: str) -> Finding:
    return Finding("argument", "error", what, (operation.party(),), rule, advice, must)
