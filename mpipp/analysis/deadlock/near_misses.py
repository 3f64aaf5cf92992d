# SPDX-License-Identifier: MIT
"""Near misses: messages and receives that almost match the one that a process waits for.

Near misses have another tag, another communicator, or another rank.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.analysis.context import group_members
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.world import Member
from mpipp.analysis.deadlock import names
from mpipp.analysis.deadlock.waits.conditions import Event
from mpipp.analysis.deadlock.waits.messages import Messages, receive_tag
from mpipp.common.text import wording
from mpipp.model import Comm

_MOST = 3  # near misses of one kind


class UnmatchedCount(NamedTuple):
    """The number of unmatched messages or receives between two processes with one tag."""

    comm: Comm  # the sender's record
    tag: int
    count: int  # type: ignore[assignment]  # hides tuple.count


def unreceived(messages: Messages, sender: Process, receiver: Process) -> Iterator[UnmatchedCount]:
    """Yield messages that one process sent to another without a posted receive."""
    yield from _unmatched_counts(messages, sender, receiver, "sends", 1)


def unsent(messages: Messages, sender: Process, receiver: Process) -> Iterator[UnmatchedCount]:
    """Yield receives that one process has posted for messages that the other has not sent."""
    yield from _unmatched_counts(messages, sender, receiver, "receives", -1)


def _unmatched_counts(
    messages: Messages, sender: Process, receiver: Process, sequence: str, sign: int
) -> Iterator[UnmatchedCount]:
    known, to = messages.known, receiver.registry.info.world_rank
    for comm in sender.registry.objects("comm"):
        if not isinstance(comm, Comm) or not comm.identity or comm.uncertain:
            continue
        member = Member(sender, comm)
        others = comm.remote_world_ranks if comm.inter else comm.world_ranks
        if others is None or to is None or to not in others:
            continue
        rank = list(others).index(to)
        peer = known.peer(member, rank)
        if peer is None or peer.comm.uncertain or peer.comm.frozen:
            continue
        sent = messages.counts(member).tags("sends", rank)
        posted = messages.counts(peer).tags("receives", comm.rank)
        for tag in sorted({*sent, *posted}):
            count = sign * (sent.get(tag, 0) - posted.get(tag, 0))
            if count > 0 and tag >= 0:
                yield UnmatchedCount(comm, tag, count)


class NearMisses:
    """Finds near misses for missing events."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        # Reported messages: source and destination in MPI_COMM_WORLD, communicator, tag.
        self.reported: set[tuple[int | None, int | None, int, int]] = set()

    def _note_reported(self, source: Process, dest: Process, left: UnmatchedCount) -> None:
        ranks = source.registry.info.world_rank, dest.registry.info.world_rank
        self.reported.add((*ranks, left.comm.identity, left.tag))

    def sentences(self, event: Event, rank: int) -> list[str]:
        """Return similar calls that process `rank` made instead of the event, a sentence each."""
        if event.kind == "send":
            return list(self._instead_of_send(event, rank))
        if event.kind == "receive":
            return list(self._instead_of_receive(event, rank))
        if event.kind in ("group", "leader"):
            return list(self._other_creation(event, rank))
        return []

    def _other_creation(self, event: Event, rank: int) -> Iterator[str]:
        # Yield words for calls of the procedure of the missing call that have other arguments.
        process, wanted = self._messages.known.process(rank), event.operation.call
        for operation in process.operations if process is not None else ():
            call = operation.call
            if call.procedure == wanted.procedure and operation.process != event.operation.process:
                given, own = names.tag(operation), names.tag(event.operation)
                if given != own:
                    yield f"another {given.split()[0]}: rank {rank} has called it with {given}"
                elif event.kind == "group":
                    yield from self._other_group(event.operation, operation, rank)
                else:
                    yield f"another {event.kind}: rank {rank} has called it with {given}"

    def _other_group(self, wanted: Operation, given: Operation, rank: int) -> Iterator[str]:
        theirs, own = (group_members.ranks(one) for one in (given, wanted))
        if theirs and own and tuple(theirs) != tuple(own):
            world = "mpi://WORLD" if given.call.comm is None else "MPI_COMM_WORLD"
            group = f"{group_members.listed(theirs)} of ranks in {world}"
            not_this = f"not with {group_members.listed(own)}"
            yield f"another group: rank {rank} has called it with the group {group}, {not_this}"

    def _instead_of_send(self, event: Event, rank: int) -> Iterator[str]:
        known, own = self._messages.known, event.operation.process
        sender = known.process(rank)
        tag = receive_tag(event.operation.call)
        if sender is None or tag is None:
            return
        _, any_tag = self._messages.wildcards(event.operation, tag)
        for left in unreceived(self._messages, sender, own):
            what = (
                f"rank {rank} sent it {wording.counted(left.count, 'message')} with tag {left.tag}"
            )
            same = left.comm.identity == event.member.comm.identity
            if same and left.tag != tag:
                self._note_reported(sender, own, left)
                yield f"another tag: {what}"
            elif not same and (any_tag or left.tag == tag):
                self._note_reported(sender, own, left)
                yield f"another communicator: {what} on {names.comm(left.comm)}"
        if event.any or event.operation.call.source is None or any_tag:
            return
        yield from self._other_ranks(event, rank, sender, tag)

    def _other_ranks(self, event: Event, rank: int, sender: Process, tag: int) -> Iterator[str]:
        known, own = self._messages.known, event.operation.process
        for other in known.processes:
            number = other.registry.info.world_rank
            if other is not sender:
                for left in unreceived(self._messages, other, own):
                    if self._is_wanted(event, left, tag):
                        self._note_reported(other, own, left)
                        what = wording.counted(left.count, "message")
                        yield f"another rank: rank {number} sent it {what} with tag {tag}"
            if other is not own:
                for left in unreceived(self._messages, sender, other):
                    if self._is_wanted(event, left, tag):
                        self._note_reported(sender, other, left)
                        what = wording.counted(left.count, "message")
                        sent = f"rank {rank} sent {what} with tag {tag}"
                        yield f"another rank: {sent} to rank {number}"

    def _is_wanted(self, event: Event, left: UnmatchedCount, tag: int) -> bool:
        return left.tag == tag and left.comm.identity == event.member.comm.identity

    def _instead_of_receive(self, event: Event, rank: int) -> Iterator[str]:
        known, own = self._messages.known, event.operation.process
        receiver, tag = known.process(rank), event.operation.call.tag
        own_rank = own.registry.info.world_rank
        if receiver is None or tag is None:
            return
        for left in unsent(self._messages, own, receiver):
            messages = wording.counted(left.count, "message")
            what = f"rank {rank} waits for {messages} with tag {left.tag}"
            same = left.comm.identity == event.member.comm.identity
            if same and left.tag != tag:
                self._note_reported(own, receiver, left)
                yield f"another tag: {what} from rank {own_rank}"
            elif not same and left.tag == tag:
                self._note_reported(own, receiver, left)
                yield f"another communicator: {what} on {names.comm(left.comm)}"
        for other in known.processes:
            number = other.registry.info.world_rank
            if other is not own:
                for left in unsent(self._messages, other, receiver):
                    if self._is_wanted(event, left, tag):
                        self._note_reported(other, receiver, left)
                        what = wording.counted(left.count, "message")
                        yield (
                            f"another rank: rank {rank} waits for {what} with tag {tag} "
                            f"from rank {number}"
                        )
