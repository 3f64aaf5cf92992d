# SPDX-License-Identifier: MIT
"""Check that the data of active sends and receives match (MPI-4.1, sections 3.3 and 3.5).

Ordinals show with certainty which calls belong together. MPI receives the messages of one process
to another with one tag on a communicator in the order in which they were sent. So the n-th send
matches the n-th receive, however late the messages arrive, and wherever each process is stopped. A
receive with MPI_ANY_SOURCE or MPI_ANY_TAG is certain if mpipp checks every process that may send to
it, and only one message for it exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mpipp.analysis.context import signature_check
from mpipp.analysis.context.process import Operation, Process
from mpipp.analysis.context.signature_check import Data
from mpipp.analysis.context.world import Member, World
from mpipp.analysis.findings.finding import Findings
from mpipp.model import Buffer, Call, Channel, Message
from mpipp.render.phrases import Phrase


class Key(NamedTuple):
    """The key that the send and the receive of a message share."""

    identity: int  # identity of the communicator
    sender: int  # rank in MPI_COMM_WORLD, like `receiver`
    receiver: int
    tag: int
    ordinal: int
    partitioned: bool


class _Any(NamedTuple):
    # A receive whose message is not known yet.
    member: Member
    source: int | None  # a rank on the communicator; None: any
    tag: int | None
    data: Data


def check(known: World) -> Findings:
    """Yield matching sends and receives whose data differ, in the order of the messages."""
    sends, receives = live(known)
    any_message: list[_Any] = []
    for process in known.processes:
        for operation in process.operations:
            any_message.extend(_receives_any(known, operation))
    # If a process sends one message too many, all later messages of the channel go to wrong
    # receives. So the first finding is the cause of the others.
    first: dict[object, Phrase] = {}
    for key, received in sorted(receives.items(), key=lambda item: item[0].ordinal):
        if key in sends:
            channel = key._replace(ordinal=0)
            for finding in _compare(sends[key], received):
                yield replace(finding, follows=first.get(channel))
                first.setdefault(channel, finding.what)
    for one in any_message:
        only = _only_message(known, one)
        if only is not None and only in sends:
            yield from _compare(sends[only], one.data)


def live(known: World) -> tuple[dict[Key, Data], dict[Key, Data]]:
    """Return the active sends and receives."""
    sends: dict[Key, Data] = {}
    receives: dict[Key, Data] = {}
    for process in known.processes:
        for operation in process.operations:
            sends.update(_sends(known, operation))
            receives.update(_receives(known, operation))
    return sends, receives


def _compare(sent: Data, received: Data) -> Findings:
    finding = signature_check.compare(sent, received, signature_check.MESSAGE)
    if finding is not None:
        yield finding


def _sends(known: World, operation: Operation) -> Iterator[tuple[Key, Data]]:
    call = operation.call
    data = _data(operation, "reads")
    if call.dest is None or call.tag is None or data is None:
        return
    sequence = "partitioned sends" if call.partitioned else "sends"
    member = _member(known, operation, sequence)
    if member is None or call.ordinal is None:
        return
    receiver = known.world_rank(member, call.dest)
    if receiver is not None:
        sender = _own_rank(operation.process)
        key = Key(member.comm.identity, sender, receiver, call.tag, call.ordinal, call.partitioned)
        yield key, data


def _receives(known: World, operation: Operation) -> Iterator[tuple[Key, Data]]:
    call = operation.call
    data = _data(operation, "writes")
    if data is None:
        return
    source, tag, ordinal = _receive_key(call)
    member = _member(known, operation, _receive_sequence(call))
    message = _message(operation)
    if message is not None:
        source, tag, ordinal = message.source, message.tag, message.ordinal
        comm = known.comm(operation.process, message.comm)
        member = Member(operation.process, comm) if comm else None
    if member is None or source is None or tag is None or ordinal is None:
        return
    sender = known.world_rank(member, source)
    if sender is not None and tag >= 0:
        receiver = _own_rank(operation.process)
        yield Key(member.comm.identity, sender, receiver, tag, ordinal, call.partitioned), data


def _receives_any(known: World, operation: Operation) -> Iterator[_Any]:
    process, call = operation.process, operation.call
    data = _data(operation, "writes")
    source, tag, ordinal = _receive_key(call)
    member = _member(known, operation, "receives")
    if data is None or source is None or tag is None or ordinal is None or member is None:
        return
    from_any = process.around.constant_name(source, "MPI_ANY_SOURCE") is not None
    with_any = process.around.constant_name(tag, "MPI_ANY_TAG") is not None
    if from_any or with_any:
        yield _Any(member, None if from_any else source, None if with_any else tag, data)


def _only_message(known: World, receive: _Any) -> Key | None:
    # The only message that no earlier receive took; None if there are several, or none.
    member = receive.member
    taken = _counts(member, "receives", None)
    found = None
    for rank, peer in enumerate(known.peers(member)):
        if receive.source is not None and receive.source != rank:
            continue
        if peer is None or "sends" in peer.comm.uncertain:
            return None
        for tag, count in _counts(peer, "sends", member.comm.rank).items():
            if receive.tag is not None and receive.tag != tag[1]:
                continue
            before = taken.get((rank, tag[1]), 0)
            if before > count or (before < count and found is not None):
                return None  # two messages, or core files from different times
            if before < count:
                found = rank, tag[1], before + 1
    if found is None:
        return None
    sender = known.world_rank(member, found[0])
    if sender is None:
        return None  # the receive has a damaged rank
    receiver = _own_rank(member.process)
    return Key(member.comm.identity, sender, receiver, found[1], found[2], False)


def _counts(member: Member, sequence: str, peer: int | None) -> dict[tuple[int, int], int]:
    # The numbers of messages, by peer and tag.
    channels: Sequence[Channel] = member.comm.channels
    return {
        (channel.peer, channel.tag): channel.count
        for channel in channels
        if channel.sequence == sequence and peer in (None, channel.peer)
    }


def _member(known: World, operation: Operation, sequence: str) -> Member | None:
    member = known.member_of(operation)
    return member if member is not None and sequence not in member.comm.uncertain else None


def _receive_sequence(call: Call) -> str:
    return "partitioned receives" if call.partitioned else "receives"


def _receive_key(call: Call) -> tuple[int | None, int | None, int | None]:
    # Source, tag and ordinal of the receive; MPI_Sendrecv has separate arguments for its receive.
    if call.dest is None:
        return call.source, call.tag, call.ordinal
    return call.source, call.recvtag, call.recv_ordinal


def _message(operation: Operation) -> Message | None:
    # The message of MPI_Mrecv. A pending MPI_Imrecv has consumed its message, and MPI may have
    # reused the handle.
    if operation.call.message is None or operation.request is not None:
        return None
    found = operation.process.registry.find("message", operation.call.message)
    return found if isinstance(found, Message) and not found.header.freed else None


def _data(operation: Operation, access: str) -> Data | None:
    # The data of the buffer that the call reads, or writes; a point-to-point call has one of each.
    found: list[Buffer] = [b for b in operation.buffers() if access in b.access]
    return signature_check.buffer_data(operation, found[0]) if len(found) == 1 else None


def _own_rank(process: Process) -> int:
    rank = process.registry.info.world_rank
    assert rank is not None
    return rank
