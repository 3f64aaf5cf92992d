# SPDX-License-Identifier: MIT
"""Whom do calls wait for that make communicators of some of the processes? (MPI-4.1,
sections 7.4.2 and 7.6.2)

The members of a group find each other by the group and a tag, the leaders of two groups by their
ranks and a tag: both are counted where the calls begin (wrapper/recorders/channels.h).
"""

from __future__ import annotations

from collections.abc import Sequence

from mpipp.checks.hangs.conditions import Condition, Event, Met, Unknown
from mpipp.checks.hangs.messages import Messages
from mpipp.checks.process import Operation, Process
from mpipp.checks.world import Member, World
from mpipp.model import Comm, Group

_WORD = (1 << 64) - 1
_UNKNOWN = Unknown("which of these calls belong together is not certain")


class Creations:
    """Those of the processes of one MPI_COMM_WORLD."""

    def __init__(self, known: World, messages: Messages) -> None:
        self._known = known
        self._messages = messages

    def group(self, operation: Operation) -> Condition:
        """What MPI_Comm_create_group waits for."""
        call, member = operation.call, self._known.of(operation)
        handle = call.arguments.get("group")
        registry = operation.process.registry
        found = registry.find("group", handle) if isinstance(handle, int) else None
        if member is None or call.tag is None or not isinstance(found, Group):
            return _UNKNOWN
        ranks = range(found.size) if found.world_ranks is None else found.world_ranks
        key = _key(ranks)
        count = self._count(member, "group calls", key, call.tag)
        if not count:
            return _UNKNOWN
        late = set()
        for rank in ranks:
            peer = self._peer(rank, member.comm.identity)
            made = 0 if peer is None else self._count(peer, "group calls", key, call.tag)
            if made is None or (peer is None and self._known.process(rank) is not None):
                return _UNKNOWN
            if made < count:
                late.add(rank)
        return Event("group", frozenset(late), operation, member) if late else Met()

    def leader(self, leading: Operation, operation: Operation) -> Condition:
        """What the call of MPI_Intercomm_create waits for that the leader of its group makes.

        Args:
            operation: that of which it is asked, by another process of the group perhaps.
        """
        call, process = leading.call, leading.process
        remote, handle = call.arguments.get("remote_leader"), call.arguments.get("peer_comm")
        comm = self._known.comm(process, handle) if isinstance(handle, int) else None
        if comm is None or comm.inter or call.tag is None or not isinstance(remote, int):
            return _UNKNOWN
        member = Member(process, comm)
        count = self._count(member, "leaders", remote, call.tag)
        rank = self._known.world_rank(member, remote)
        if not count or rank is None or remote == comm.rank:
            return _UNKNOWN
        peer = self._peer(rank, comm.identity)
        made = 0 if peer is None else self._count(peer, "leaders", comm.rank, call.tag)
        if made is None or (peer is None and self._known.process(rank) is not None):
            return _UNKNOWN
        if made >= count:
            return Met()
        return Event("leader", frozenset({rank}), operation, member)

    def _count(self, member: Member, sequence: str, peer: int, tag: int) -> int | None:
        # None: not certain.
        if sequence in member.comm.uncertain:
            return None
        return self._messages.counts(member).tags(sequence, peer).get(tag, 0)

    def _peer(self, rank: int, identity: int) -> Member | None:
        process: Process | None = self._known.process(rank)
        comms: list[Comm] = self._known.comms(process) if process is not None else []
        found = next((comm for comm in comms if comm.identity == identity), None)
        return Member(process, found) if process is not None and found is not None else None


def _key(ranks: Sequence[int]) -> int:
    # As mpipp_gathering.
    found = len(ranks)
    for rank in ranks:
        found = (found ^ ((rank & _WORD) + 0x9E3779B97F4A7C15 & _WORD)) * 0xBF58476D1CE4E5B9 & _WORD
        found = (found ^ found >> 30) * 0x94D049BB133111EB & _WORD
        found ^= found >> 31
    key = (found ^ found >> 32) & 0xFFFFFFFF
    return (key ^ 1 << 31) - (1 << 31)
