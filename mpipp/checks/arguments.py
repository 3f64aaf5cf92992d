# SPDX-License-Identifier: MIT
"""Are the arguments of a call ones that the standard allows: counts, ranks, tags?"""

from __future__ import annotations

from mpipp.checks.finding import Finding, Findings
from mpipp.checks.process import Operation, Process
from mpipp.checks.ranges import ranks_of

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
        yield from _requests(operation)
        yield from _ranks(operation)
        yield from _tags(operation)


def _counts(operation: Operation) -> Findings:
    for buffer in operation.buffers():
        counts = (
            [buffer.count] if buffer.shares is None else [share.count for share in buffer.shares]
        )
        for peer, count in enumerate(counts):
            if count < 0:
                of = "" if buffer.shares is None else f" for {operation.peer(peer)}"
                what = f"the count {count} of {buffer.role}{of} is negative"
                yield Finding.of("negative-count", what, [operation.party()])
                break


def _requests(operation: Operation) -> Findings:
    call = operation.call
    if call.request_count < 0:
        what = f"the number of requests is {call.request_count}"
        yield Finding.of("negative-count", what, [operation.party()])
    elif call.requests == 0 and call.request_count > 0:
        count = call.request_count
        of = "a request is" if count == 1 else f"{count} requests are"
        what = f"the array of requests is a null pointer, but {of} needed"
        yield Finding.of("null-requests", what, [operation.party()])


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
            f"{name} is {value}, but the {among} has {ranks_of(size)}",
            [operation.party()],
            alternative=f", or {' or '.join(constants)}" if constants else "",
            among=among,
        )


def _tags(operation: Operation) -> Findings:
    for name, constants in _TAGS.items():
        value = getattr(operation.call, name)
        if value is None:
            continue
        if value >= 0:
            yield from _large_tag(operation, name, value)
            continue
        sends = operation.call.dest is not None and name == "tag"  # of a send-receive, too
        receives = operation.call.source is not None and not sends
        if receives and operation.process.around.constant_name(value, *constants):
            continue
        yield Finding.of(
            "negative-tag",
            f"{name} is {value}, and a tag must not be negative",
            [operation.party()],
            alternative=", or MPI_ANY_TAG" if receives else "",
        )


def _large_tag(operation: Operation, name: str, value: int) -> Findings:
    most = operation.process.registry.info.tag_ub
    if most is not None and value > most:
        what = f"{name} is {value}, but the largest tag that this library has is {most}"
        yield Finding.of("tag-too-large", what, [operation.party()])
