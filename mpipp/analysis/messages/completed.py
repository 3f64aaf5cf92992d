# SPDX-License-Identifier: MIT
"""Check that the data of completed sends and receives matched (MPI-4.1, sections 3.3 and 3.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context import signature_check
from mpipp.analysis.context.channel_history import (
    RECEIVED,
    Key,
    Side,
    every,
    is_message,
    is_sent,
    is_start,
    key,
)
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.world import World
from mpipp.analysis.deadlock import names, near_misses
from mpipp.analysis.deadlock.waits.messages import Messages as HangMessages
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.findings.limits import Limits
from mpipp.analysis.messages import active
from mpipp.analysis.messages.history_equality import HistoryComparison, data_of
from mpipp.analysis.messages.match_by_ordinal import MOST_TURNS, Histories, Meeting, MeetingCount
from mpipp.common.text import wording
from mpipp.model import Channel, Comm
from mpipp.render.phrases import Phrase

_MOST_ALIKE = 1 << 17  # capacity of the cache of matching combinations
_FEW = 64  # capacity for a channel with no compared messages yet


class _Pair:
    # The sender's and the receiver's history of one channel.

    def __init__(self) -> None:
        self.sides: list[Side | None] = [None, None]
        self.histories = Histories(2)
        self.first: Phrase | None = None  # text of the first finding


class Messages:
    """The messages of all channels, compared as they become known.

    Attributes:
        limits: reasons why messages were left out.
    """

    def __init__(self) -> None:
        self._pairs: dict[Key, _Pair] = {}
        self._new: dict[Key, None] = {}
        self._alike: set[object] = set()
        self.limits = Limits()

    def add(self, of: Key, side: Side) -> None:
        """Add a further part of a channel's history."""
        pair = self._pairs.setdefault(of, _Pair())
        number = 0 if is_sent(side.channel) else 1
        pair.sides[number] = side
        pair.histories.waiting[number] += side.stretches
        self._new[of] = None

    def compare(self, going_on: Collection[active.Key] = ()) -> Findings:
        """Yield the findings between both sides so far, except those on messages in `going_on`."""
        changed, self._new = self._new, {}
        for of in changed:
            yield from self._compare(of, self._pairs[of], going_on)

    def _compare(self, of: Key, pair: _Pair, going_on: Collection[active.Key]) -> Findings:
        sent, received = pair.sides
        if sent is None or received is None:
            return
        compared = MeetingCount()
        for met in pair.histories.meet():
            combination = of.sender, of.receiver, *(kept.key for kept in met.calls)
            found = None if combination in self._alike else _compare(sent, received, met)
            if found is None:
                pair.histories.passed.add(met.calls)
                self._remember(combination)
            elif active.Key(*of[:4], met.ordinal, of.partitioned) not in going_on:
                compared.add(found, met)
        # If a process sends one message too many, all later ones of the channel go to wrong
        # receives.
        for found in compared.findings("message number {ordinal}", "ordinal"):
            yield replace(found, follows=pair.first)
            pair.first = pair.first or found.what
        if pair.histories.left_out:
            self.limits.reached(
                f"only {MOST_TURNS} combinations of repeated messages were compared"
            )
        if len(pair.histories.passed) > _FEW:
            pair.histories.passed.clear()

    def _remember(self, combination: object) -> None:
        if len(self._alike) >= _MOST_ALIKE:
            self._alike.clear()
        self._alike.add(combination)


def check(known: World) -> Findings:
    """Yield matched sends and receives whose data differ, and messages that nobody received.

    Raises MpippError at the end if not all of them were compared.
    """
    channels: dict[Key, list[Side]] = {}
    for side in every(known, is_message):
        of = key(known, side)
        if of is not None:
            channels.setdefault(of, []).append(side)
    past, whole = Messages(), HistoryComparison()
    for of, ends in channels.items():
        if len(ends) == 2 and not whole.matches(*sorted(ends, key=_is_received)):
            for side in ends:
                past.add(of, side)
    sends, receives = active.live(known)
    yield from past.compare(sends.keys() & receives.keys())
    sent = [side for ends in channels.values() for side in ends if side.channel.sequence == "sends"]
    yield from _unreceived(known, [*sent, *every(known, _is_send_start)])
    past.limits.raise_reasons()


def _is_send_start(channel: Channel) -> bool:
    return is_start(channel) and is_sent(channel)


def _is_received(side: Side) -> bool:
    return not is_sent(side.channel)


def _compare(sent: Side, received: Side, met: Meeting) -> Finding | None:
    calls = [replace(kept.call, ordinal=met.ordinal) for kept in met.calls]
    data = data_of(sent, calls[0]), data_of(received, calls[1])
    if data[0] is None or data[1] is None:
        return None
    return signature_check.compare(data[0], data[1], signature_check.MESSAGE)


def _unreceived(known: World, sends: Iterable[Side]) -> Findings:
    # Compares only processes at their end: others may still receive the message.
    known_of: dict[int, dict[tuple[str, int, int], Channel]] = {}  # key: receiver's communicator
    twins = _Twins(known)
    for sent in sends:
        sequence, tag = RECEIVED[sent.channel.sequence], sent.channel.tag
        receiver = known.peer(sent.member, sent.channel.peer)
        ended = receiver is not None and at_the_end(receiver.process)
        if not ended or receiver is None or not at_the_end(sent.member.process):
            continue
        if sequence in receiver.comm.uncertain_all:
            continue
        if sequence == "receives" and receiver.comm.frozen:
            continue
        comm = id(receiver.comm)  # cached: many channels have the same communicator
        if comm not in known_of:
            known_of[comm] = _receives(receiver.comm)
        received = known_of[comm].get((sequence, sent.member.comm.rank, tag))
        if received is not None and received.shared:
            continue
        count = received.count if received is not None else 0
        lost = sent.channel.count - count
        if lost <= 0:
            continue
        last = next((s for s in sent.stretches if s.first <= count + 1 < s.end), None)
        if last is not None:
            call, near = last.at(count + 1).call, list[Phrase]()
            if sequence == "receives":
                call = replace(call, ordinal=count + 1)
                near += twins.phrases(sent, receiver.process, tag)
            party = sent.operation(call).party(*near)
            case = "several" if lost > 1 else "one"
            # The clause distinguishes this finding from others at the same place.
            clause = ", but awaited on another communicator" if near else ""
            yield Finding.of("message-lost", [party], case, times=lost, clause=clause)


class _Twins:
    # Receives without a message, on other communicators, by sender and receiver.

    def __init__(self, known: World) -> None:
        self._messages = HangMessages(known)
        self._left: dict[tuple[int, int], list[near_misses.UnmatchedCount]] = {}

    def phrases(self, sent: Side, receiver: Process, tag: int) -> Iterator[Phrase]:
        # The details of an unreceived message.
        sender, own = sent.member.process, sent.member.comm.identity
        pair = sender.number, receiver.number
        if pair not in self._left:
            self._left[pair] = list(near_misses.unsent(self._messages, sender, receiver))
        for left in self._left[pair]:
            if left.tag == tag and left.comm.identity != own:
                yield Phrase.of(
                    "near miss, another communicator: {process} has posted {text} with tag {tag} "
                    "on {comm}, for which nothing was sent",
                    process=names.processes([receiver.registry.info]),
                    text=wording.counted(left.count, "receive"),
                    tag=tag,
                    comm=names.comm(left.comm),
                )


def _receives(comm: Comm) -> dict[tuple[str, int, int], Channel]:
    # The channels of receives, by sequence, peer and tag.
    channels = (c for c in comm.channels if c.sequence in RECEIVED.values())
    return {(c.sequence, c.peer, c.tag): c for c in channels}
