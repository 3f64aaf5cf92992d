# SPDX-License-Identifier: MIT
"""Did what is over belong together? (MPI-4.1, sections 3.3, 3.5 and 6.1)

The rules are those of `messages` and `collectives`. What is compared are the histories of channels
(`mpipp.model.past`), stretch by stretch: a loop of a million messages is compared once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import lcm
from typing import NamedTuple

from mpipp.checks import collectives, messages, overlaps, signatures
from mpipp.checks.accesses import accesses
from mpipp.checks.exchanges import Joined
from mpipp.checks.finding import Finding, Findings
from mpipp.checks.leaks import at_the_end
from mpipp.checks.process import Operation, Process
from mpipp.checks.signatures import Data
from mpipp.checks.world import Member, World
from mpipp.model import Call, Channel, Comm, Kept, Stretch

_MOST_TURNS = 4096  # combinations of two stretches' calls that are looked at


class _Side(NamedTuple):
    # One process's history of a channel.
    member: Member
    channel: Channel
    stretches: list[Stretch]

    def operation(self, call: Call) -> Operation:
        return Operation(self.member.process, call, None, None, self.member.comm)


class _Key(NamedTuple):
    # A channel, whichever side it is seen from.
    identity: int  # the communicator's
    sender: int  # ranks in MPI_COMM_WORLD
    receiver: int
    tag: int
    partitioned: bool


class Meeting(NamedTuple):
    """Calls that met: one of each history."""

    ordinal: int  # of the first time
    times: int
    calls: tuple[Kept, ...]


def meetings(histories: Sequence[Sequence[Stretch]]) -> Iterator[Meeting]:
    """The combinations of calls that have the same ordinals, in order of the first time.

    Ordinals that not all histories have are left out.
    """
    at = [0] * len(histories)
    while all(i < len(history) for i, history in zip(at, histories)):
        here = [history[i] for i, history in zip(at, histories)]
        first, end = max(s.first for s in here), min(s.end for s in here)
        if first < end:
            yield from _turns(here, first, end)
        for i, stretch in enumerate(here):
            if stretch.end <= end:
                at[i] += 1


def _turns(here: Sequence[Stretch], first: int, end: int) -> Iterator[Meeting]:
    period = lcm(*(len(stretch.calls) for stretch in here))
    for ordinal in range(first, min(end, first + period, first + _MOST_TURNS)):
        times = (end - 1 - ordinal) // period + 1
        yield Meeting(ordinal, times, tuple(stretch.at(ordinal) for stretch in here))


class _Met:
    # How often calls met in one way, and first when.

    def __init__(self) -> None:
        self._found: dict[object, tuple[Finding, int, int]] = {}

    def add(self, found: Finding, met: Meeting) -> None:
        key = found.rule.id, found.what, tuple((party.site, party.text) for party in found.parties)
        first, ordinal, times = self._found.get(key, (found, met.ordinal, 0))
        self._found[key] = first, ordinal, times + met.times

    def findings(self, noun: str) -> Iterator[Finding]:
        """In the order of the ordinals; the calls are the `noun` with that number."""
        for found, ordinal, times in self._found.values():
            text = f"{noun} number {ordinal}"
            text += f", the first of {times} of these calls" if times > 1 else ""
            *before, last = found.parties
            yield replace(found, parties=(*before, replace(last, details=(*last.details, text))))


def check_alone(process: Process) -> Findings:
    """What each call that is over did wrong by itself: it wrote memory twice.

    That of v and w forms is not known: their displacements are not kept.
    """
    going_on = {(one.call.procedure, one.call.site) for one in process.operations}
    seen: set[object] = set()
    for comm, kept in _kept(process):
        going = (kept.call.procedure, kept.call.site) in going_on
        if kept.key not in seen and not going:
            yield from _twice(Operation(process, kept.call, None, None, comm))
        seen.add(kept.key)


def _kept(process: Process) -> Iterator[tuple[Comm, Kept]]:
    for comm in process.registry.objects("comm", ended=True):
        if isinstance(comm, Comm):
            for channel in comm.channels:
                for stretch in process.registry.past(comm, channel):
                    yield from ((comm, kept) for kept in stretch.calls)


def _twice(operation: Operation) -> Findings:
    for access in accesses(operation):
        if access.writes and access.buffer.shares is None:
            yield from overlaps.itself(access)


def check_messages(known: World) -> Findings:
    """Sends and receives that belonged together and did not match; messages nobody received."""
    sends = _channels(known, "sends", "partitioned sends")
    receives = _channels(known, "receives", "partitioned receives")
    live_sends, live_receives = messages.live(known)
    alike: set[object] = set()
    for key, sent in sends.items():
        received = receives.get(key)
        if received is None:
            continue
        compared = _Met()
        for met in meetings((sent.stretches, received.stretches)):
            combination = key.sender, key.receiver, *(kept.key for kept in met.calls)
            if combination in alike:
                continue
            found = _compare(sent, received, met)
            now = messages.Key(*key[:4], met.ordinal, key.partitioned)
            if found is None:
                alike.add(combination)
            elif now not in live_sends or now not in live_receives:
                compared.add(found, met)
        # Where a process sends one message too many, none of those after it is received right.
        first = ""
        for found in compared.findings("message"):
            yield replace(found, follows=first)
            first = first or found.what
    yield from _lost(known, sends, receives)


def _compare(sent: _Side, received: _Side, met: Meeting) -> Finding | None:
    calls = [replace(kept.call, ordinal=met.ordinal) for kept in met.calls]
    data = _data(sent, calls[0]), _data(received, calls[1])
    if data[0] is None or data[1] is None:
        return None
    return signatures.compare(data[0], data[1], signatures.MESSAGE)


def _data(side: _Side, call: Call) -> Data | None:
    if len(call.buffers) != 1:
        return None
    return signatures.whole(side.operation(call), call.buffers[0])


def _channels(known: World, *sequences: str) -> dict[_Key, _Side]:
    found: dict[_Key, _Side] = {}
    own_ranks = {process: process.registry.info.world_rank for process in known.all}
    for member, channel in _all(known):
        comm = member.comm
        if channel.sequence not in sequences or channel.sequence in comm.uncertain:
            continue
        peer, own = known.world_rank(member, channel.peer), own_ranks[member.process]
        if peer is None or own is None or not channel.history:
            continue
        sends = "sends" in channel.sequence
        ranks = (own, peer) if sends else (peer, own)
        key = _Key(comm.identity, *ranks, channel.tag, channel.sequence.startswith("partitioned"))
        stretches = member.process.registry.past(comm, channel)
        found[key] = _Side(member, channel, stretches)
    return found


def _all(known: World) -> Iterator[tuple[Member, Channel]]:
    # Of communicators that were freed, too.
    for process in known.all:
        for comm in known.comms(process):
            for channel in comm.channels:
                yield Member(process, comm), channel


def _lost(known: World, sends: Mapping[_Key, _Side], receives: Mapping[_Key, _Side]) -> Findings:
    # Only once both are at their end: until then the receive may come.
    counts: dict[int, dict[tuple[int, int], int]] = {}  # by receiver's communicator: peer and tag
    for key, sent in sends.items():
        receiver = known.peer(sent.member, sent.channel.peer)
        ended = receiver is not None and at_the_end(receiver.process)
        if not ended or receiver is None or not at_the_end(sent.member.process) or key.partitioned:
            continue
        if "receives" in receiver.comm.uncertain or receiver.comm.frozen:
            continue
        comm = id(receiver.comm)  # there are many channels, with several processes each
        if comm not in counts:
            counts[comm] = _received(receiver.comm)
        count = counts[comm].get((sent.member.comm.rank, key.tag), 0)
        lost = sent.channel.count - count
        last = next((s for s in sent.stretches if s.first <= count + 1 < s.end), None)
        if lost > 0 and last is not None:
            call = replace(last.at(count + 1).call, ordinal=count + 1)
            party = sent.operation(call).party()
            many = f"{lost} messages are" if lost > 1 else "a message is"
            yield Finding.of("message-lost", f"{many} sent and never received", [party])


def _received(comm: Comm) -> dict[tuple[int, int], int]:
    return {(c.peer, c.tag): c.count for c in comm.channels if c.sequence == "receives"}


def check_collectives(known: World) -> Findings:
    """What differed between the calls of a collective operation that some of them have left."""
    live = collectives.live(known)
    alike: set[object] = set()
    for sides in _joined(known):
        identity = sides[0].member.comm.identity
        ranks = tuple((side.member.process.number, side.member.comm.rank) for side in sides)
        compared = _Met()
        for met in meetings([side.stretches for side in sides]):
            combination = ranks, *(kept.key for kept in met.calls)
            if combination in alike or (identity, met.ordinal) in live:
                continue
            calls = [replace(kept.call, ordinal=met.ordinal) for kept in met.calls]
            joined = [Joined(s.operation(c), s.member) for s, c in zip(sides, calls)]
            if collectives.is_parted(joined):
                yield from collectives.compare(joined)
                break
            wrong = list(collectives.compare(joined))
            for found in wrong:
                compared.add(found, met)
            if not wrong:
                alike.add(combination)
        yield from compared.findings("collective call")


def _joined(known: World) -> Iterator[list[_Side]]:
    found: dict[int, list[_Side]] = {}
    for member, channel in _all(known):
        comm = member.comm
        certain = "collectives" not in comm.uncertain
        if channel.sequence == "collectives" and certain and channel.history:
            stretches = member.process.registry.past(comm, channel)
            found.setdefault(comm.identity, []).append(_Side(member, channel, stretches))
    return (sides for sides in found.values() if len(sides) > 1)
