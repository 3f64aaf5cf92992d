# SPDX-License-Identifier: MIT
"""The conditions of sends, receives and probes (MPI-4.1, sections 3.4, 3.5 and 3.8).

The n-th send from one process to another with a tag matches the n-th receive of that source and tag
(wrapper/recorder/matching/channels.h). So counts show which messages were sent. Nonblocking
receives with MPI_ANY_SOURCE or MPI_ANY_TAG take messages of unknown channels. Then the numbers of
all sends and receives may still decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mpipp.analysis.context.process import Operation
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock.waits.conditions import AnyOf, Condition, Event, NoWait, Unknown
from mpipp.model import Call, Comm

THREADS = "several threads share a channel, or a call failed or was cancelled"
_WILDCARDS = "a receive with MPI_ANY_SOURCE or MPI_ANY_TAG may have taken the message"
_DAMAGED = "its peer or its tag is not recorded"
_FREED = "the communicator was freed meanwhile"
ELSEWHERE = "the processes of the communicator cannot be identified"

_NOTHING: Mapping[int, int] = {}


class Counts:
    """The counts of a process's sends and receives on a communicator."""

    def __init__(self, comm: Comm) -> None:
        self._by_peer: dict[tuple[str, int], dict[int, int]] = {}
        self._posted = 0
        for channel in comm.channels:
            if channel.count:
                tags = self._by_peer.setdefault((channel.sequence, channel.peer), {})
                tags[channel.tag] = channel.count
            if channel.sequence == "receives" and channel.peer >= 0:
                self._posted += channel.posted

    def received(self, source: int, tag: int) -> int:
        """Return a lower bound of the number of posted receives."""
        return self.tags("receives", source).get(tag, 0)

    def tags(self, sequence: str, peer: int) -> Mapping[int, int]:
        """Return the counts by tag, for a peer that is not a wildcard."""
        return self._by_peer.get((sequence, peer), _NOTHING)

    @property
    def collective_calls(self) -> int:
        """The number of collective calls."""
        return self.tags("collectives", 0).get(0, 0)

    @property
    def posted(self) -> int:
        """The number of receives in all channels, including returned receives of any message."""
        return self._posted


class Messages:
    """Point-to-point communication between the processes of one MPI_COMM_WORLD."""

    def __init__(self, known: World) -> None:
        self.known = known
        self._counts: dict[tuple[int, int], Counts] = {}

    def counts(self, member: Member) -> Counts:
        """Return the counts of a process on a communicator."""
        key = (id(member.process), member.comm.header.record)
        if key not in self._counts:
            self._counts[key] = Counts(member.comm)
        return self._counts[key]

    def sending(self, operation: Operation) -> Condition:
        """Return the condition of a send."""
        call = operation.call
        if call.dest is None or call.tag is None:
            return Unknown(_DAMAGED)
        mode = _mode(call)
        if call.dest < 0 or mode == "b":
            return NoWait()
        member = self.known.member_of(operation)
        if member is None or "sends" in member.comm.uncertain or call.ordinal is None:
            return Unknown(ELSEWHERE if member is None else THREADS)
        world_rank = self.known.world_rank(member, call.dest)
        if world_rank is None:
            return Unknown(ELSEWHERE)
        waits = Event("receive", frozenset({world_rank}), operation, member, lenient=mode != "s")
        peer = self.known.peer(member, call.dest)
        if peer is None:
            return waits if self.known.process(world_rank) is None else Unknown(ELSEWHERE)
        if "receives" in peer.comm.uncertain:
            return Unknown(THREADS)
        counts = self.counts(peer)
        if call.ordinal <= counts.received(member.comm.rank, call.tag):
            return NoWait()
        if peer.comm.frozen or self.takes_any(peer, member.comm.rank, call.tag):
            return Unknown(_WILDCARDS)
        return waits

    def receiving(self, operation: Operation, tag: int, ordinal: int | None) -> Condition:
        """Return the condition of a receive or a probe.

        A probe waits for a message without a posted receive.

        Args:
            ordinal: of a receive; None: uncertain.
        """
        call, process = operation.call, operation.process
        if call.source is None:
            return Unknown(_DAMAGED)
        member = self.known.member_of(operation)
        if process.around.constant_name(call.source, "MPI_PROC_NULL"):
            return NoWait()
        if member is None or "receives" in member.comm.uncertain:
            return Unknown(ELSEWHERE if member is None else THREADS)
        if operation.request is not None and call.answered:
            return Unknown(_FREED)  # its communicator may be freed, and the handle reused
        any_source, any_tag = self.wildcards(operation, tag)
        if not any_source:
            return self._from(operation, member, call.source, None if any_tag else tag, ordinal)
        comm = member.comm
        sources = range(comm.remote_size if comm.inter else comm.size)
        wanted = None if any_tag else tag
        found = [self._from(operation, member, source, wanted, None) for source in sources]
        if all(isinstance(one, Event) for one in found):
            ranks = (self.known.world_rank(member, source) for source in sources)
            one_of = frozenset(rank for rank in ranks if rank is not None)
            return Event("send", one_of, operation, member, any=True)
        return AnyOf(tuple(found))

    def wildcards(self, operation: Operation, tag: int | None) -> tuple[bool, bool]:
        """Return whether a receive accepts any source, and any tag."""
        name = operation.process.around.constant_name
        source = operation.call.source
        any_source = source is not None and name(source, "MPI_ANY_SOURCE") is not None
        return any_source, tag is not None and name(tag, "MPI_ANY_TAG") is not None

    def _from(
        self,
        operation: Operation,
        member: Member,
        source: int,
        tag: int | None,
        ordinal: int | None,
    ) -> Condition:
        world_rank = self.known.world_rank(member, source)
        if world_rank is None:
            return Unknown(ELSEWHERE)
        waits = Event("send", frozenset({world_rank}), operation, member)
        peer = self.known.peer(member, source)
        if peer is None:
            return waits if self.known.process(world_rank) is None else Unknown(ELSEWHERE)
        if "sends" in peer.comm.uncertain:
            return Unknown(THREADS)
        sent, counts = self.counts(peer).tags("sends", member.comm.rank), self.counts(member)
        if ordinal is not None and tag is not None:
            return NoWait() if ordinal <= sent.get(tag, 0) else waits
        wanted = sent if tag is None else {tag: sent.get(tag, 0)}
        if all(count <= counts.received(source, one) for one, count in wanted.items()):
            return waits
        if not member.comm.frozen:
            return NoWait()
        return waits if self._all_taken(member) else Unknown(_WILDCARDS)

    def _all_taken(self, member: Member) -> bool:
        # Return whether completed receives have taken all messages that were sent to a process.
        sent = 0
        for peer in self.known.peers(member):
            if peer is None or "sends" in peer.comm.uncertain:
                return False
            sent += sum(self.counts(peer).tags("sends", member.comm.rank).values())
        comm = member.comm
        taken = self.counts(member).posted + comm.posted_any - comm.returned_any - comm.abandoned
        return sent <= taken - len(list(self.receives(member)))

    def receives(self, member: Member) -> Iterator[tuple[Operation, int]]:
        """Yield the incomplete receives of a process on a communicator, with their tags."""
        for operation in member.process.operations:
            call, tag = operation.call, receive_tag(operation.call)
            if tag is None or not operation.started or call.partitioned:
                continue
            comm = self.known.comm(member.process, call.comm)
            if comm is not None and comm.identity == member.comm.identity and call.buffers:
                yield operation, tag

    def takes_any(self, member: Member, source: int, tag: int) -> bool:
        """Return whether a receive of any message may take one with that source and tag."""
        for operation, wanted in self.receives(member):
            any_source, any_tag = self.wildcards(operation, wanted)
            fits = any_source or operation.call.source == source
            if (any_source or any_tag) and fits and (any_tag or wanted == tag):
                return True
        return False


def receive_tag(call: Call) -> int | None:
    """Return the tag of a call that receives or probes by source and tag; None for other calls."""
    if call.source is None or call.message is not None:
        return None
    return call.recvtag if call.recvtag is not None else call.tag


def _mode(call: Call) -> str:
    # "b": buffered; "s": synchronous; "": standard, or ready, which may return like standard.
    return {"Bsend": "b", "Ssend": "s"}.get(call.facts.operation, "")
