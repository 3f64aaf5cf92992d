# SPDX-License-Identifier: MIT
"""The conditions of calls by which some processes create a communicator.

See MPI-4.1, sections 7.4.2 and 7.6.2. The members of a group find each other by the group and a
tag, the leaders of two groups by their ranks and a tag. Each process counts the calls of both kinds
when they start (wrapper/recorder/matching/channels.h). Calls without a communicator have a string
as tag.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mpipp.analysis.context import group_members
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock.waits.conditions import AllOf, Condition, Event, NoWait, Unknown
from mpipp.analysis.deadlock.waits.messages import Messages
from mpipp.model import Comm

_WORD = (1 << 64) - 1
_UNKNOWN = Unknown("mpipp cannot match these calls with certainty")


class Creations:
    """The conditions of calls that create communicators in one MPI_COMM_WORLD."""

    def __init__(self, known: World, messages: Messages) -> None:
        self._known = known
        self._messages = messages

    def group(self, operation: Operation) -> Condition:
        """Return the condition of MPI_Comm_create_group."""
        member, ranks = self._known.member_of(operation), group_members.ranks(operation)
        if member is None or operation.call.tag is None or ranks is None:
            return _UNKNOWN
        return self._gathered(operation, member, ranks, operation.call.tag)

    def from_groups(self, operation: Operation) -> Condition:
        """Return the condition of MPI_Comm_create_from_group, MPI_Intercomm_create_from_groups."""
        call, process = operation.call, operation.process
        member, ranks = self._no_comm_member(process), group_members.ranks(operation)
        if member is None or ranks is None or self._known.rank(process) is None:
            return _UNKNOWN
        two = call.facts.over == "groups"
        tag = _tag(operation)
        found = self._gathered(operation, member, ranks, tag)
        if not two:
            return found
        leading = self._leading(operation, ranks)
        other = self._other_leader(leading, operation, tag) if leading is not None else None
        return AllOf((found, other or Unknown("the state of its group's leader is unknown")))

    def _gathered(
        self, operation: Operation, member: Member, ranks: Sequence[int], tag: int
    ) -> Condition:
        key = _key(ranks)
        count = self._count(member, "group calls", key, tag)
        if not count:
            return _UNKNOWN
        late = set()
        for rank in ranks:
            peer = self._peer(rank, member.comm.identity)
            made = 0 if peer is None else self._count(peer, "group calls", key, tag)
            if made is None or (peer is None and self._is_member(rank, member)):
                return _UNKNOWN
            if made < count:
                process = self._known.process(rank)
                if process is not None and process.has_left_sessions:
                    return Unknown(f"rank {rank} has no session now, and may begin another")
                late.add(rank)
        return Event("group", frozenset(late), operation, member) if late else NoWait()

    def _leading(self, operation: Operation, ranks: Sequence[int]) -> Operation | None:
        # The call of the group's leader, if it is active.
        leader = operation.call.arguments.get("local_leader")
        if not isinstance(leader, int) or not 0 <= leader < len(ranks):
            return None
        if ranks[leader] == self._known.rank(operation.process):
            return operation
        process = self._known.process(ranks[leader])
        for other in process.operations if process is not None else ():
            same = other.call.procedure == operation.call.procedure
            if same and group_members.ranks(other) == ranks and _tag(other) == _tag(operation):
                return other
        return None

    def _other_leader(self, leading: Operation, operation: Operation, tag: int) -> Condition:
        own, member = self._known.rank(leading.process), self._no_comm_member(leading.process)
        remote = leading.call.arguments.get("remote_leader")
        theirs = group_members.argument_ranks(leading, "remote_group")
        if member is None or own is None or theirs is None or not isinstance(remote, int):
            return _UNKNOWN
        if not 0 <= remote < len(theirs):
            return _UNKNOWN
        leader = theirs[remote]
        return AllOf(
            (
                self._led(operation, member, (own, leader), leader, tag),
                self._far(operation, leader),
            )
        )

    def _far(self, operation: Operation, leader: int) -> Condition:
        # The condition of the other group after its leader has called. All processes of the other
        # group must call, but the standard does not say that this group waits for them.
        process = self._known.process(leader)
        member = self._no_comm_member(process) if process is not None else None
        tag = _tag(operation)
        for other in process.operations if process is not None else ():
            if other.call.procedure != operation.call.procedure or _tag(other) != tag:
                continue
            ranks = group_members.ranks(other)
            if member is None or ranks is None:
                return _UNKNOWN
            found = self._gathered(operation, member, ranks, tag)
            return replace(found, lenient=True) if isinstance(found, Event) else found
        return NoWait()

    def leader(self, leading: Operation, operation: Operation) -> Condition:
        """Return the condition of MPI_Intercomm_create in the leader of its group.

        Args:
            leading: the leader's call.
            operation: the call that waits; it may belong to another process of the group.
        """
        call, process = leading.call, leading.process
        remote, handle = call.arguments.get("remote_leader"), call.arguments.get("peer_comm")
        comm = self._known.comm(process, handle) if isinstance(handle, int) else None
        if comm is None or comm.inter or call.tag is None or not isinstance(remote, int):
            return _UNKNOWN
        member = Member(process, comm)
        rank = self._known.world_rank(member, remote)
        if rank is None:
            return _UNKNOWN
        return self._led(operation, member, (comm.rank, remote), rank, call.tag)

    def _led(
        self,
        operation: Operation,
        member: Member,
        leaders: tuple[int, int],
        rank: int,
        tag: int,
    ) -> Condition:
        # `leaders` are the ranks by which the calls are counted; `rank` is the other leader's rank
        # in MPI_COMM_WORLD.
        own, remote = leaders
        count = self._count(member, "leaders", remote, tag)
        if not count or own == remote:
            return _UNKNOWN
        peer = self._peer(rank, member.comm.identity)
        made = 0 if peer is None else self._count(peer, "leaders", own, tag)
        if made is None or (peer is None and self._is_member(rank, member)):
            return _UNKNOWN
        return NoWait() if made >= count else Event("leader", frozenset({rank}), operation, member)

    def _no_comm_member(self, process: Process) -> Member | None:
        address = process.registry.info.apart
        found = process.registry.at("comm", address) if address else None
        return Member(process, found) if isinstance(found, Comm) else None

    def _is_member(self, rank: int, member: Member) -> bool:
        # Return whether the process may be a member without a known identity of the communicator.
        # For calls without a communicator: a process without counts has made none.
        process = self._known.process(rank)
        apart = member.comm.header.record == member.process.registry.info.apart
        return process is not None and (not apart or process.registry.info.unseen)

    def _count(self, member: Member, sequence: str, peer: int, tag: int) -> int | None:
        # The number of calls of a sequence that the process has begun; None if it is uncertain.
        if sequence in member.comm.uncertain:
            return None
        return self._messages.counts(member).tags(sequence, peer).get(tag, 0)

    def _peer(self, rank: int, identity: int) -> Member | None:
        process: Process | None = self._known.process(rank)
        apart = self._no_comm_member(process) if process is not None else None
        if apart is not None and apart.comm.identity == identity:
            return apart
        comms: list[Comm] = self._known.comms(process) if process is not None else []
        found = next((comm for comm in comms if comm.identity == identity), None)
        return Member(process, found) if process is not None and found is not None else None


def _key(ranks: Sequence[int]) -> int:
    # Computes the key of a group like mpipp_recorder_gather in the wrapper.
    found = len(ranks)
    for rank in ranks:
        found = _mixed(found, rank & _WORD)
    return _folded(found)


def _tag(operation: Operation) -> int:
    # Computes a tag from the string, like mpipp_recorder_gather_groups in the wrapper.
    found = int(operation.call.facts.over == "groups")
    for character in group_members.stringtag(operation):
        found = _mixed(found, character)
    return _folded(found)


def _mixed(first: int, second: int) -> int:
    found = (first ^ (second + 0x9E3779B97F4A7C15 & _WORD)) * 0xBF58476D1CE4E5B9 & _WORD
    found = (found ^ found >> 30) * 0x94D049BB133111EB & _WORD
    return found ^ found >> 31


def _folded(hash: int) -> int:
    key = (hash ^ hash >> 32) & 0xFFFFFFFF
    return (key ^ 1 << 31) - (1 << 31)
