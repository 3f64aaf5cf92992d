# SPDX-License-Identifier: MIT
"""The conditions of partitioned sends and receives (MPI-4.1, section 4.2).

The n-th call of MPI_Psend_init to a process with a tag matches the n-th call of MPI_Precv_init
there. The two requests are started equally often. A message has been sent when all partitions are
marked ready.
"""

from __future__ import annotations

from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member
from mpipp.analysis.deadlock.waits.conditions import Condition, Event, NoWait, Unknown
from mpipp.analysis.deadlock.waits.messages import ELSEWHERE, THREADS, Messages
from mpipp.model import Request

_SENDS, _RECEIVES = "partitioned sends", "partitioned receives"


class Partitions:
    """The conditions of partitioned communication in one MPI_COMM_WORLD."""

    def __init__(self, messages: Messages) -> None:
        self._known = messages.known
        self._messages = messages

    def call(self, operation: Operation) -> Condition:
        """Return the condition of a started operation."""
        request, call = operation.request, operation.call
        member = self._known.member_of(operation)
        if request is None or member is None:
            return Unknown(ELSEWHERE)
        sends = call.dest is not None
        own = member.process.registry.info.world_rank
        if sends and not _is_ready(request) and own is not None:
            return Event("partitions", frozenset({own}), operation, member)
        peer = call.dest if sends else call.source
        if peer is None or call.tag is None or call.ordinal is None:
            return Unknown(THREADS)
        if operation.process.around.constant_name(peer, "MPI_PROC_NULL"):
            return NoWait()
        if (_SENDS if sends else _RECEIVES) in member.comm.uncertain:
            return Unknown(THREADS)
        return self._with(operation, member, peer, request.starts)

    def _with(self, operation: Operation, member: Member, peer: int, starts: int) -> Condition:
        rank = self._known.world_rank(member, peer)
        there = self._known.peer(member, peer)
        if rank is None or (there is None and self._known.process(rank) is not None):
            return Unknown(ELSEWHERE)
        sends, ranks = operation.call.dest is not None, frozenset({rank})
        # The standard allows a send whose partitions are ready to complete without the receive.
        late = Event("start", ranks, operation, member, lenient=sends)
        if there is None:
            return late
        if (_RECEIVES if sends else _SENDS) in there.comm.uncertain:
            return Unknown(THREADS)
        found = self._opposite_side(operation, member, there)
        if found is None:
            return (
                late
                if self._count(operation, member, there) < (operation.call.ordinal or 0)
                else NoWait()
            )
        if found.starts < starts:
            return late
        lacks = found.starts == starts and found.pending and not _is_ready(found)
        return Event("partitions", ranks, operation, member) if lacks and not sends else NoWait()

    def _count(self, operation: Operation, member: Member, there: Member) -> int:
        # The number of matching operations that the other process has created.
        sequence = _SENDS if operation.call.dest is None else _RECEIVES
        tags = self._messages.counts(there).tags(sequence, member.comm.rank)
        return tags.get(operation.call.tag or 0, 0)

    def _opposite_side(self, operation: Operation, member: Member, there: Member) -> Request | None:
        # The matching request of the other process; None if it is not created yet, or already
        # freed.
        call = operation.call
        for found in there.process.registry.objects("request"):
            if not isinstance(found, Request) or not found.call.partitioned:
                continue
            comm = self._known.comm(there.process, found.call.comm)
            if comm is None or comm.identity != member.comm.identity:
                continue
            theirs = found.call.dest if call.dest is None else found.call.source
            same = (found.call.tag, found.call.ordinal) == (call.tag, call.ordinal)
            if same and theirs == member.comm.rank:
                return found
        return None


def _is_ready(request: Request) -> bool:
    return request.ready >= sum(buffer.peers for buffer in request.call.buffers)
