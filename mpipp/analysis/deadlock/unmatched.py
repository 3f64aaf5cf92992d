# SPDX-License-Identifier: MIT
"""Messages without a receive, and receives without a message, in a hung job.

These messages and receives are reported only if all processes that should receive, or send, can
never continue. Otherwise the missing call may still come.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

from mpipp.analysis.context.world import Member
from mpipp.analysis.deadlock import names
from mpipp.analysis.deadlock.analysis import Explanation
from mpipp.analysis.deadlock.waits.conditions import Event, events
from mpipp.analysis.deadlock.waits.messages import Messages, receive_tag
from mpipp.common.text import wording
from mpipp.model import Comm

_SEQUENCES = {"sends": "receives", "receives": "sends"}


class Channel(NamedTuple):
    """A message channel: two ranks in MPI_COMM_WORLD, a communicator's identity, and a tag."""

    source: int
    dest: int
    comm: int
    tag: int


class Unmatched(NamedTuple):
    """Messages without receives, or receives without messages."""

    what: str  # "sends" or "receives"
    source: int
    dest: int
    tag: int
    number: int
    comm: Comm


def unmatched(found: Explanation) -> Iterator[Unmatched]:
    """Yield unmatched messages and receives, except those that a process waits for.

    The explanation of the waiting call already reports the latter.
    """
    waited = {
        channel
        for state in found.states.values()
        for wait in state.waits
        for event in events(wait.condition)
        for channel in _waited(event)
    }
    messages = found.waits.messages
    over = found.stuck | {rank for rank, one in found.states.items() if one.has_ended}
    for process in found.world.processes:
        for comm in process.registry.objects("comm"):
            if isinstance(comm, Comm) and comm.identity and not comm.uncertain:
                for one in _of(messages, Member(process, comm)):
                    channel = Channel(one.source, one.dest, one.comm.identity, one.tag)
                    lacks = one.dest if one.what == "sends" else one.source
                    if lacks in over and channel not in waited:
                        yield one


def _of(messages: Messages, member: Member) -> Iterator[Unmatched]:
    known, comm = messages.known, member.comm
    own = member.process.registry.info.world_rank
    for channel in comm.channels:
        other = _SEQUENCES.get(channel.sequence)
        peer = known.peer(member, channel.peer) if other and channel.peer >= 0 else None
        if other is None or peer is None or own is None or channel.tag < 0:
            continue
        if peer.comm.uncertain or peer.comm.frozen or comm.frozen:
            continue
        left = channel.count - messages.counts(peer).tags(other, comm.rank).get(channel.tag, 0)
        if channel.sequence == "sends" and messages.takes_any(peer, comm.rank, channel.tag):
            continue
        to = peer.process.registry.info.world_rank
        if left > 0 and to is not None:
            source, dest = (own, to) if channel.sequence == "sends" else (to, own)
            yield Unmatched(channel.sequence, source, dest, channel.tag, left, comm)


def _waited(event: Event) -> Iterator[Channel]:
    # The channels of the waiting operation.
    own, call = event.operation.process.registry.info.world_rank, event.operation.call
    if event.kind not in ("send", "receive") or own is None:
        return
    tag = call.tag if event.kind == "receive" else receive_tag(call)
    for rank in event.ranks:
        source, dest = (own, rank) if event.kind == "receive" else (rank, own)
        yield Channel(source, dest, event.member.comm.identity, -1 if tag is None else tag)


def sentences(found: Explanation, told: Container[tuple[object, ...]]) -> list[str]:
    """Return sentences about unmatched messages; those with one common process are combined.

    Args:
        told: channels (`Channel`) to leave out.
    """
    by_dest: dict[tuple[object, ...], list[Unmatched]] = {}
    for one in unmatched(found):
        if Channel(one.source, one.dest, one.comm.identity, one.tag) in told:
            continue
        side = one.dest if one.what == "sends" else one.source
        key = (one.what, side, one.tag, one.number, names.comm(one.comm))
        by_dest.setdefault(key, []).append(one)
    return [_sentence(members) for members in by_dest.values()]


def _sentence(members: list[Unmatched]) -> str:
    one = members[0]
    on = "" if one.comm.header.name == "MPI_COMM_WORLD" else f" on {names.comm(one.comm)}"
    each = " each" if len(members) > 1 else ""
    if one.what == "sends":
        who = wording.ranks(member.source for member in members)
        number = wording.counted(one.number, "message")
        they = "it" if one.number == len(members) == 1 else "them"
        return (
            f"{who} sent rank {one.dest} {number}{each} with tag {one.tag}{on}: "
            f"no receive is posted for {they}"
        )
    who = wording.verb([member.dest for member in members], "has", "have")
    number = wording.counted(one.number, "receive")
    return (
        f"{who} posted {number}{each} from rank {one.source} with tag {one.tag}{on}: "
        "no such message was sent"
    )
