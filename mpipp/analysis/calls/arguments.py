# SPDX-License-Identifier: MIT
"""Check of a call's counts, ranks and tags."""

from __future__ import annotations

from mpipp.analysis.calls.argument_messages import ranks_of
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.model import Buffer
from mpipp.render.phrases import Phrase, Value

# The constants that may replace a rank or tag.
_RANKS = {
    "dest": ("MPI_PROC_NULL",),
    "source": ("MPI_PROC_NULL", "MPI_ANY_SOURCE"),
    "root": (),
    "target_rank": ("MPI_PROC_NULL",),
}
_ROOTS = ("MPI_PROC_NULL", "MPI_ROOT")  # allowed on intercommunicators (MPI-4.1, section 6.2.3)
_TAGS = {"tag": ("MPI_ANY_TAG",), "recvtag": ("MPI_ANY_TAG",)}


def check(process: Process) -> Findings:
    """Yield arguments that are out of range, with their calls."""
    for operation in process.operations:
        yield from _null_output(operation)
        yield from _counts(operation)
        yield from _requests(operation)
        yield from _ranks(operation)
        yield from _tags(operation)


def _null_output(operation: Operation) -> Findings:
    # An output argument that is a null pointer. The wrapper records the argument's name before it
    # passes the call to MPI.
    name = operation.call.arguments.get("null_output")
    if isinstance(name, tuple):
        argument = bytes(one % 256 for one in name).decode("ascii", "replace")
        ignored = {"status": ", or MPI_STATUS_IGNORE"}.get(argument, "")
        if argument == "array_of_statuses":
            ignored = ", or MPI_STATUSES_IGNORE"
        yield Finding.of("null-output", [operation.party()], argument=argument, clause=ignored)


def _counts(operation: Operation) -> Findings:
    for buffer in operation.buffers():
        counts = (
            [buffer.count] if buffer.shares is None else [share.count for share in buffer.shares]
        )
        for peer, count in enumerate(counts):
            if count < 0:
                yield Finding.of(
                    "negative-count",
                    [operation.party()],
                    "buffer",
                    count=count,
                    argument=buffer.role,
                    clause=_for(operation, buffer, peer),
                )
                break


def _for(operation: Operation, buffer: Buffer, peer: int) -> Value:
    return "" if buffer.shares is None else Phrase.of(" for {peer}", peer=operation.peer(peer))


def _requests(operation: Operation) -> Findings:
    call = operation.call
    if call.request_count < 0:
        count = call.request_count
        yield Finding.of("negative-count", [operation.party()], "requests", count=count)
    elif call.requests == 0 and call.request_count > 0:
        count = call.request_count
        case = "one" if count == 1 else "several"
        yield Finding.of("null-requests", [operation.party()], case, count=count)


def _ranks(operation: Operation) -> Findings:
    comm = operation.comm
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
        rule = "negative-rank" if value < 0 else "rank-too-large"
        among = "window" if name == "target_rank" else "communicator"
        yield Finding.of(
            "no-such-root" if name == "root" else rule,
            [operation.party()],
            argument=name,
            rank=value,
            ranks=ranks_of(size),
            noun=among,
            clause=f", or {' or '.join(constants)}" if constants else "",
        )


def _tags(operation: Operation) -> Findings:
    for name, constants in _TAGS.items():
        value = getattr(operation.call, name)
        if value is None:
            continue
        if value >= 0:
            yield from _large_tag(operation, name, value)
            continue
        sends = operation.call.dest is not None and name == "tag"  # MPI_Sendrecv has `recvtag`, too
        receives = operation.call.source is not None and not sends
        if receives and operation.process.around.constant_name(value, *constants):
            continue
        yield Finding.of(
            "negative-tag",
            [operation.party()],
            argument=name,
            tag=value,
            clause=", or MPI_ANY_TAG" if receives else "",
        )


def _large_tag(operation: Operation, name: str, value: int) -> Findings:
    most = operation.process.registry.info.tag_ub
    if most is not None and value > most:
        party = [operation.party()]
        yield Finding.of("tag-too-large", party, argument=name, tag=value, largest_tag=most)
