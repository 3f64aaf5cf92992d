# SPDX-License-Identifier: MIT
"""The messages between each pair of processes: all sent so far, and all not received yet.

The n-th send of a channel matches the n-th receive. So the sends beyond the number of posted
receives are not received, unless a receive of any message may have taken them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.analysis.context.world import Member, World
from mpipp.analysis.deadlock import names
from mpipp.analysis.deadlock.waits.messages import Messages
from mpipp.common.errors import MpippError
from mpipp.model import Channel, Comm, DatatypeRecord, KeptCall, Stretch
from mpipp.ranks.message_matrix import OnTheWay, Pair


def pairs(world: World) -> list[Pair]:
    """Return the messages between each pair of processes, sorted by sender and receiver."""
    messages, found = Messages(world), dict[tuple[int, int], Pair]()
    for process in world.processes:
        own = world.rank(process)
        for comm in world.comms(process):
            member = Member(process, comm)
            for channel in comm.channels:
                if channel.sequence != "sends" or channel.peer < 0 or not channel.count:
                    continue
                to = world.world_rank(member, channel.peer)
                if own is None or to is None:
                    continue
                pair = found.setdefault((own, to), Pair(own, to))
                found[own, to] = _with_channel(pair, messages, member, channel)
    return [pair for _, pair in sorted(found.items())]


def _with_channel(pair: Pair, messages: Messages, member: Member, channel: Channel) -> Pair:
    try:
        calls = member.process.registry.recorded_calls(member.comm, channel)
    except MpippError:
        calls = []
    kept = sum(stretch.count for stretch in calls)
    size = _bytes(calls)
    is_known = size is not None and kept >= channel.count and pair.is_whole
    waiting = _waiting(messages, member, channel)
    return pair._replace(
        messages=pair.messages + channel.count,
        bytes=pair.bytes + (size or 0),
        is_whole=is_known,
        is_certain=pair.is_certain and waiting is not None,
        waiting=(*pair.waiting, *_on_the_way(waiting or 0, member, channel, calls)),
    )


def _waiting(messages: Messages, member: Member, channel: Channel) -> int | None:
    # The number of sends beyond the posted receives; None if it is uncertain.
    peer = messages.known.peer(member, channel.peer)
    own = member.comm
    if peer is None or "sends" in own.uncertain or "receives" in peer.comm.uncertain:
        return None
    left = channel.count - messages.counts(peer).received(own.rank, channel.tag)
    if left > 0 and (peer.comm.frozen or messages.takes_any(peer, own.rank, channel.tag)):
        return None
    return max(0, left)


def _on_the_way(
    waiting: int, member: Member, channel: Channel, calls: Sequence[Stretch]
) -> Iterator[OnTheWay]:
    if not waiting:
        return
    first = channel.count - waiting + 1
    late = [one.part(max(first, one.first), one.end) for one in calls if one.end > first]
    name = _comm(member.comm)
    yield OnTheWay(waiting, _bytes(late) if late else None, channel.tag, name)


def _comm(comm: Comm) -> str:
    return "" if comm.header.name == "MPI_COMM_WORLD" else names.comm(comm)


def _bytes(calls: Sequence[Stretch]) -> int | None:
    # The bytes of all messages; None if the size of some is unknown.
    total = 0
    for stretch in calls:
        turns, rest = divmod(stretch.count, len(stretch.calls))
        for number, kept in enumerate(stretch.calls):
            size = _size(kept)
            if size is None:
                return None
            total += size * (turns + (number < rest))
    return total


def _size(kept: KeptCall) -> int | None:
    try:
        sent = [buffer for buffer in kept.call.buffers if "reads" in buffer.access]
    except MpippError:
        return None
    total = 0
    for buffer in sent:
        if not isinstance(buffer.datatype, DatatypeRecord):
            return None
        total += buffer.total_count * buffer.datatype.tree.size
    return total if sent else None
