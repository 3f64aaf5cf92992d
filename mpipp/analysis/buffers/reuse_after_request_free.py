# SPDX-License-Identifier: MIT
"""Check that no buffer is reused while an operation whose request was freed may still use it.

The program cannot see when such an operation completes (MPI-4.1, section 3.7.3), but a reply may
show it. That is impossible as long as the other process has not posted the matching receive, or not
started the matching send.
"""

from __future__ import annotations

from mpipp.analysis.buffers import overlap
from mpipp.analysis.context.buffer_accesses import Access, accesses, in_use
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.datatypes import memory


def check(known: World) -> Findings:
    """Yield reuses of the buffer of a freed request whose operation cannot be complete."""
    for process in known.processes:
        given_up = [
            one for one in process.freed_active_operations if _cannot_be_complete(known, one)
        ]
        if not given_up:
            continue
        others = [
            access
            for operation in process.operations
            for access in in_use(operation, accesses(operation))
        ]
        for one in given_up:
            for first in accesses(one):
                for second in others:
                    yield from _shared(first, second)


def _cannot_be_complete(known: World, operation: Operation) -> bool:
    call = operation.call
    if call.ordinal is None or call.tag is None or "bsend" in call.procedure.lower():
        return False
    sends = call.dest is not None
    peer = call.dest if sends else call.source
    member = known.member_of(operation)
    if peer is None or member is None or (sends and call.source is not None):
        return False
    peers = known.peers(member)
    other = peers[peer] if 0 <= peer < len(peers) else None
    if other is None or _may_have_any(other):
        return False
    sequence = "receives" if sends else "sends"
    if sequence in other.comm.uncertain or (sends and other.comm.frozen):
        return False
    begun = 0
    for channel in other.comm.channels:
        if (channel.sequence, channel.peer, channel.tag) == (sequence, member.comm.rank, call.tag):
            begun = channel.count
    return begun < call.ordinal


def _may_have_any(member: Member) -> bool:
    # Return whether the process has an active receive that accepts any message.
    around = member.process.around
    return any(
        around.constant_name(value, "MPI_ANY_SOURCE", "MPI_ANY_TAG") is not None
        for operation in member.process.operations
        if operation.call.source is not None
        for value in (operation.call.source, operation.call.tag, operation.call.recvtag)
        if value is not None
    )


def _shared(first: Access, second: Access) -> Findings:
    if not (first.writes or second.writes):
        return
    shared = memory.shared(first.region, second.region)
    if shared is None:
        return
    start, end = shared
    yield Finding.of(
        "given-up",
        [one.operation.party(one.used(start)) for one in (first, second)],
        procedure=second.operation.call.procedure,
        freed_procedure=first.operation.call.procedure,
        bytes=overlap.addresses(start, end),
    )
