# SPDX-License-Identifier: MIT
"""The conditions of collective calls (MPI-4.1, sections 6.1, 6.14, 7.4 and 8).

A process may return as soon as its part is done. The root of a broadcast need not wait for any
process, unless the library makes it wait. If a call needs data or agreement of other processes, it
waits for those that have made fewer collective calls on the communicator.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from mpipp.analysis.context.buffer_accesses import own_count
from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.topology_neighbors import sources
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock.waits.comm_creation import Creations
from mpipp.analysis.deadlock.waits.conditions import AllOf, Condition, Event, NoWait, Unknown
from mpipp.analysis.deadlock.waits.messages import Messages
from mpipp.common.errors import MpippError
from mpipp.model import Buffer, DatatypeRecord, Request, Stretch

_UNCERTAIN = Unknown("mpipp cannot match the collective calls with certainty")


class _NeededRank(NamedTuple):
    rank: int  # on the communicator; on an intercommunicator, in the remote group
    lenient: bool


class _Arrivals(NamedTuple):
    # The states of a communicator's processes with respect to one call, by rank. `late` have not
    # reached the call; the values are their ranks in MPI_COMM_WORLD. `different` are in another
    # call in its place. `past` have left it, and their completed call is looked up only if it is
    # needed.
    late: dict[int, int]
    different: dict[int, tuple[int, Operation]]
    past: dict[int, tuple[int, Member]]


class Collectives:
    """The conditions of collective calls in one MPI_COMM_WORLD."""

    def __init__(self, known: World, messages: Messages) -> None:
        self._known = known
        self._messages = messages
        self._creations = Creations(known, messages)
        self._found: dict[tuple[object, ...], _Arrivals | Unknown] = {}
        # Completed calls by process and communicator, decoded once: there may be a million.
        self._over: dict[tuple[int, int], Sequence[Stretch]] = {}

    def call(self, operation: Operation) -> Condition:
        """Return the condition of a collective call; Unknown if its communicator is unknown."""
        call = operation.call
        if call.facts.operation in ("Comm_create_from_group", "Intercomm_create_from_groups"):
            return self._creations.from_groups(operation)
        if call.comm is None:
            return Unknown("its communicator is not recorded")
        if call.facts.operation == "Comm_create_group":
            return self._creations.group(operation)
        member = self._known.member_of(operation)
        if member is None or call.ordinal is None or "collectives" in member.comm.uncertain:
            return _UNCERTAIN
        name = call.facts.operation
        wanted = _needed_ranks(name, operation, member)
        if wanted is None:
            return Unknown(f"the processes that {call.procedure} waits for are not recorded")
        found = self._wait_for_ranks(operation, member, name, wanted)
        if name != "Intercomm_create":
            return found
        leading = self._leading(operation, member)
        other = self._creations.leader(leading, operation) if leading is not None else None
        return AllOf((found, other or Unknown("the state of its group's leader is unknown")))

    def _leading(self, operation: Operation, member: Member) -> Operation | None:
        # The call of MPI_Intercomm_create by the group's leader, if it is active.
        leader = operation.call.arguments.get("local_leader")
        if leader == member.comm.rank:
            return operation
        peer = self._known.peer(member, leader) if isinstance(leader, int) else None
        ordinal = operation.call.ordinal
        if peer is None or ordinal is None:
            return None
        found = self._active_call(peer, ordinal)
        same = found is not None and found.call.facts.operation == "Intercomm_create"
        return found if same else None

    def started(self, operation: Operation) -> Condition:
        """Return the condition of a persistent collective operation: equally many starts by others.

        Operations belong together if the calls that created them have equal ordinals.
        """
        request, call, member = operation.request, operation.call, self._known.member_of(operation)
        if request is None or member is None or call.ordinal is None:
            return _UNCERTAIN
        wanted = _needed_ranks(call.facts.operation, operation, member)
        if wanted is None or "collectives" in member.comm.uncertain:
            return _UNCERTAIN
        late: dict[bool, set[int]] = {True: set(), False: set()}
        for rank, lenient in wanted:
            world_rank = self._known.world_rank(member, rank)
            starts = self._starts(member, rank, call.ordinal)
            if world_rank is None or starts is None:
                return _UNCERTAIN
            if starts < request.starts:
                late[lenient].add(world_rank)
        found = tuple(
            Event("start", frozenset(ranks), operation, member, lenient=lenient)
            for lenient, ranks in late.items()
            if ranks
        )
        return AllOf(found) if found else NoWait()

    def _starts(self, member: Member, rank: int, ordinal: int) -> int | None:
        # How often a process has started the operation; None if it is unknown.
        peer = self._known.peer(member, rank)
        if peer is None:
            world_rank = self._known.world_rank(member, rank)
            missing = world_rank is not None and self._known.process(world_rank) is None
            return 0 if missing else None
        if "collectives" in peer.comm.uncertain:
            return None
        for found in peer.process.registry.objects("request"):
            if not isinstance(found, Request) or not found.persistent:
                continue
            comm = self._known.comm(peer.process, found.call.comm)
            collective = found.call.dest is None and found.call.source is None
            if comm is None or comm.identity != member.comm.identity or not collective:
                continue
            if found.call.ordinal == ordinal:
                return found.starts
        return 0 if self._messages.counts(peer).collective_calls < ordinal else None

    def _wait_for_ranks(
        self, operation: Operation, member: Member, name: str, wanted: Iterable[_NeededRank]
    ) -> Condition:
        ordinal = operation.call.ordinal
        assert ordinal is not None
        there = self._arrivals(member, name, ordinal)
        if isinstance(there, Unknown):
            return there
        missing: dict[bool, set[int]] = {True: set(), False: set()}
        found: list[Condition] = []
        for rank, lenient in wanted:
            if rank in there.past:
                world_rank, peer = there.past.pop(rank)
                left = self._completed_call(peer, ordinal)
                if left is not None and left.call.facts.operation != name:
                    there.different[rank] = world_rank, left
            if rank in there.late:
                missing[lenient].add(there.late[rank])
            elif rank in there.different:
                world_rank, other = there.different[rank]
                ranks = frozenset({world_rank})
                found.append(Event("collective", ranks, operation, member, False, True, other))
        for lenient, late in missing.items():
            if late:
                ranks = frozenset(late)
                found.append(Event("collective", ranks, operation, member, lenient=lenient))
        if operation.call.facts.flow == "meet":
            found.append(Unknown("the other job is not recorded"))
        return AllOf(tuple(found)) if found else NoWait()

    def _arrivals(self, member: Member, name: str, ordinal: int) -> _Arrivals | Unknown:
        # The arrivals at a call that a process may wait for; equal for all processes of a
        # communicator.
        comm = member.comm
        key = (comm.identity, self._known.world_rank(member, 0), ordinal, name)
        if key not in self._found:
            self._found[key] = self._look(member, name, ordinal)
        return self._found[key]

    def _look(self, member: Member, name: str, ordinal: int) -> _Arrivals | Unknown:
        comm, found = member.comm, _Arrivals({}, {}, {})
        for rank in range(comm.remote_size if comm.inter else comm.size):
            world_rank = self._known.world_rank(member, rank)
            if world_rank is None:
                return Unknown("the communicator has processes of another program")
            peer = self._known.peer(member, rank)
            if peer is None:
                if self._known.process(world_rank) is not None:
                    return Unknown("the communicator is not recorded in all of its processes")
                found.late[rank] = world_rank
            elif "collectives" in peer.comm.uncertain:
                return _UNCERTAIN
            elif self._messages.counts(peer).collective_calls < ordinal:
                found.late[rank] = world_rank
            else:
                other = self._active_call(peer, ordinal)
                if other is None:
                    found.past[rank] = world_rank, peer
                elif other.call.facts.operation != name:
                    found.different[rank] = world_rank, other
        return found

    def _active_call(self, member: Member, ordinal: int) -> Operation | None:
        # The process's collective call with that ordinal, if it is active.
        for operation in member.process.operations:
            call = operation.call
            if call.ordinal != ordinal or call.dest is not None or call.source is not None:
                continue
            comm = self._known.comm(member.process, call.comm)
            if comm is not None and comm.identity == member.comm.identity:
                return operation
        return None

    def _completed_call(self, member: Member, ordinal: int) -> Operation | None:
        # The process's completed collective call with that ordinal, if it is in the history.
        process, comm = member
        key = process.number, comm.header.record
        if key not in self._over:
            self._over[key] = _completed_calls(member)
        found = self._over[key]
        at = bisect_left(found, (ordinal + 1,)) - 1
        if at < 0 or ordinal >= found[at].end:
            return None
        try:
            call = found[at].at(ordinal).call
        except MpippError:  # the record is damaged: decide without that record
            return None
        return Operation(process, replace(call, ordinal=ordinal), None, None, comm)


def _completed_calls(member: Member) -> Sequence[Stretch]:
    # The completed collective calls, in order; none if they are invalid.
    process, comm = member
    for channel in comm.channels:
        if channel.sequence == "collectives" and channel.history:
            try:
                return process.registry.recorded_calls(comm, channel)
            except MpippError:
                return ()
    return ()


def _needed_ranks(name: str, operation: Operation, member: Member) -> Iterable[_NeededRank] | None:
    # The processes whose part a call needs; None if they are unknown.
    comm = member.comm
    size = comm.remote_size if comm.inter else comm.size
    others = [rank for rank in range(size) if comm.inter or rank != comm.rank]
    flow = operation.call.facts.flow
    if flow == "agree":
        lenient = name.startswith(("Win_", "File_")) or name == "Comm_set_info"
        return [_NeededRank(rank, lenient) for rank in others]
    if flow == "exchange":
        if all(buffer.shares is None for buffer in operation.call.buffers):
            lenient = not _has_data(operation, 0)
            return [_NeededRank(rank, lenient) for rank in others]
        return [_NeededRank(rank, not _has_data(operation, rank)) for rank in others]
    if flow == "prefix":
        return [
            _NeededRank(rank, rank > comm.rank or not _has_data(operation, 0)) for rank in others
        ]
    if flow in ("from root", "to root"):
        return _rooted(operation, member, others)
    if flow == "meet":
        return [_NeededRank(rank, True) for rank in others]
    theirs = sources(member) if operation.among_neighbors else None
    if theirs is None:
        return None
    # Neighbors beyond the border of a grid do not exist (MPI-4.1, section 8.6).
    wanted = ((i, rank) for i, rank in enumerate(theirs) if rank is not None)
    return [_NeededRank(rank, not _has_data(operation, i)) for i, rank in wanted]


def _rooted(operation: Operation, member: Member, others: list[int]) -> list[_NeededRank] | None:
    to_root = operation.call.facts.flow == "to root"
    root, name_of = operation.call.root, operation.process.around.constant_name
    if root is None:
        return None
    if member.comm.inter and name_of(root, "MPI_PROC_NULL"):
        return []
    is_root = name_of(root, "MPI_ROOT") is not None if member.comm.inter else False
    is_root = is_root or (not member.comm.inter and root == member.comm.rank)
    if is_root:
        return [_NeededRank(rank, not (to_root and _has_data(operation, rank))) for rank in others]
    if root not in others:
        return None
    return [_NeededRank(root, to_root or not _has_data(operation, root))]


def _has_data(operation: Operation, rank: int) -> bool:
    # Return whether data come from that process; MPI_IN_PLACE is never a receive buffer.
    writing = [buffer for buffer in operation.call.buffers if "writes" in buffer.access]
    return any(
        _amount(buffer, rank) > 0 and own_count(operation, buffer) != 0 for buffer in writing
    )


def _amount(buffer: Buffer, rank: int) -> int:
    try:
        count = buffer.count
        datatype = buffer.datatype
        if buffer.shares is not None:
            share = buffer.share(rank)
            count, datatype = share.count, share.datatype
    except (MpippError, IndexError):
        return 0
    size = datatype.tree.size if isinstance(datatype, DatatypeRecord) else 0
    return count * size
