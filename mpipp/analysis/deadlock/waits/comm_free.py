# SPDX-License-Identifier: MIT
"""The conditions of calls that free a communicator (MPI-4.1, section 7.4.3).

These calls are collective, and are the last call of each process on the communicator. They have no
ordinal, but come after all calls that have one. The library decides whether they wait for each
other. Some libraries never wait, because MPI_Comm_free only marks the communicator.
"""

from __future__ import annotations

from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member
from mpipp.analysis.deadlock.waits.conditions import AllOf, Condition, Event, NoWait, Unknown
from mpipp.analysis.deadlock.waits.messages import Messages
from mpipp.model import Call, Comm

_ENDS = ("MPI_Comm_free", "MPI_Comm_disconnect")


def freed_by(call: Call) -> int | None:
    """Return the handle of the communicator that a call frees, or None."""
    handle = call.arguments.get("comm") if call.procedure in _ENDS else None
    return handle if isinstance(handle, int) else None


class Freeing:
    """The conditions of calls that free communicators of one MPI_COMM_WORLD."""

    def __init__(self, messages: Messages) -> None:
        self._known = messages.known
        self._messages = messages

    def call(self, operation: Operation) -> Condition:
        """Return the condition of a call that frees a communicator."""
        comm = self._known.comm(operation.process, freed_by(operation.call))
        if comm is None or "collectives" in comm.uncertain:
            return Unknown("mpipp cannot match the collective calls with certainty")
        member = Member(operation.process, comm)
        made = self._messages.counts(member).collective_calls
        late: set[int] = set()
        different: list[Condition] = []
        for rank in range(comm.remote_size if comm.inter else comm.size):
            world_rank, peer = self._known.world_rank(member, rank), self._known.peer(member, rank)
            if world_rank is None:
                return Unknown("the communicator has processes of another program")
            if peer is None:
                if self._known.process(world_rank) is not None:
                    return Unknown("the communicator is not recorded in all of its processes")
                late.add(world_rank)
                continue
            if peer.comm.header.is_ended:
                continue
            other = self._meets(peer, made)
            if other is None:
                late.add(world_rank)
            elif other.call.facts.operation != operation.call.facts.operation:
                ranks = frozenset({world_rank})
                different.append(Event("collective", ranks, operation, member, False, True, other))
        if late:
            different.append(Event("collective", frozenset(late), operation, member, lenient=True))
        if not different and self._has_pending(operation, comm):
            return Unknown(
                "mpipp does not know for which pending operations MPI_Comm_disconnect waits"
            )
        return AllOf(tuple(different)) if different else NoWait()

    def _has_pending(self, operation: Operation, comm: Comm) -> bool:
        # MPI_Comm_disconnect waits for pending operations (MPI-4.1, section 11.10.4).
        if operation.call.procedure != "MPI_Comm_disconnect":
            return False
        of = [one.call.comm for one in operation.process.operations if one.request is not None]
        known = (self._known.comm(operation.process, handle) for handle in of)
        return any(one is not None and one.identity == comm.identity for one in known)

    def _meets(self, member: Member, made: int) -> Operation | None:
        # The call of a process that follows this number of collective calls.
        joined = self._messages.counts(member).collective_calls
        for operation in member.process.operations:
            call = operation.call
            of = freed_by(call) if joined == made else call.comm
            comm = self._known.comm(member.process, of) if operation.tid is not None else None
            if comm is None or comm.identity != member.comm.identity:
                continue
            collective = call.dest is None and call.source is None and bool(call.facts.over)
            if joined == made or (collective and call.ordinal == made + 1):
                return operation
        return None
