# SPDX-License-Identifier: MIT
"""Check of messages in channels that threads share (MPI-4.1, sections 3.3 and 3.5).

Threads that start operations concurrently do not order them. mpipp does not know which receive took
which message, nor their numbers, because they are counted without a lock. But the ledger keeps each
call that differs from earlier ones in its channel (wrapper/recorder/ledger/ledger.h). So when both
processes are at their end, all possible receives are known. If a send matches none of them, its
message was received wrong, or not at all, in any order. If a receive matches no send, it has
received other data, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mpipp.analysis.calls.leaks import at_the_end
from mpipp.analysis.context import channel_history, signature_check
from mpipp.analysis.context.channel_history import Key, Side
from mpipp.analysis.context.signature_check import MESSAGE, Data, Meeting
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.analysis.findings.limits import Limits
from mpipp.analysis.messages.history_equality import data_of
from mpipp.common.errors import MpippError
from mpipp.common.text import wording
from mpipp.model import Request
from mpipp.render.phrases import Phrase

_MOST = 1 << 14  # pairs of a send and a receive of one channel
_SENT = MESSAGE._replace(differs="no receive matches this send")
_RECEIVED = MESSAGE._replace(differs="no send matches this receive")


class _Kind(NamedTuple):
    # One of the different calls of a channel.
    key: object  # equal for calls that differ only in their places
    data: Data


def check(known: World) -> Findings:
    """Yield sends that match none of the receives in their channel, and the reverse.

    Raises MpippError at the end if not all of them were compared.
    """
    limits = Limits()
    for sent, received in _channels(known):
        sends, receives = _kinds(sent), _kinds(received)
        if sends and receives:
            with limits.skip_on_error():
                yield from _Pairs(sends, receives).check(_all_met(sent), _all_met(received))
    limits.raise_reasons()


def _channels(known: World) -> Iterator[tuple[Side, Side]]:
    # Channels that threads share on at least one side, with complete histories on both.
    found: dict[Key, dict[bool, Side]] = {}
    for side in channel_history.complete(known):
        of = channel_history.key(known, side) if at_the_end(side.member.process) else None
        if of is not None:
            found.setdefault(of, {})[channel_history.is_sent(side.channel)] = side
    for ends in found.values():
        if len(ends) == 2 and any(side.channel.shared for side in ends.values()):
            yield ends[True], ends[False]


def _kinds(side: Side) -> list[_Kind]:
    # The different calls of a channel; empty if the data of some are unknown.
    found = []
    for kept in side.kinds:
        data = data_of(side, kept.call)
        if data is None:
            return []
        found.append(_Kind(kept.key, data))
    return found


def _all_met(side: Side) -> bool:
    # Return whether the process has no pending operations at its end. Another check reports pending
    # operations.
    pending = side.member.process.registry.pending_requests()
    calls = (one.call for one in pending if isinstance(one, Request))
    left = any(call.dest is not None or call.source is not None for call in calls)
    return not left and not side.member.comm.abandoned


class _Pairs:
    """All pairs of the different sends and receives of a channel."""

    def __init__(self, sends: Sequence[_Kind], receives: Sequence[_Kind]) -> None:
        self._sends, self._receives = sends, receives
        self._found: dict[tuple[object, object], Finding | None] = {}
        counts = len({one.key for one in sends}), len({one.key for one in receives})
        self._said = Phrase.of(
            "{sends_text} and {receives_text}",
            sends_text=wording.counted(counts[0], "different send"),
            receives_text=wording.counted(counts[1], "different receive"),
        )
        if counts[0] * counts[1] > _MOST:
            raise MpippError(
                f"{self._said} in a channel that several threads use were not compared"
            )

    def check(self, sends_too: bool, receives_too: bool) -> Findings:
        """Yield the calls that match nothing on the other side, for the requested sides."""
        sends = [s for s in self._sends if all(self._differ(s, r) for r in self._receives)]
        receives = [r for r in self._receives if all(self._differ(s, r) for s in self._sends)]
        told: set[object] = set()
        for sent in sends if sends_too else ():
            received = max(receives or self._receives, key=lambda one: self._near(sent, one))
            told.add(received.key)
            yield self._finding(sent, received, _SENT)
        for received in receives if receives_too else ():
            if received.key not in told:
                sent = max(sends or self._sends, key=lambda one: self._near(one, received))
                yield self._finding(sent, received, _RECEIVED)

    def _differ(self, sent: _Kind, received: _Kind) -> Finding | None:
        pair = sent.key, received.key
        if pair not in self._found:
            self._found[pair] = signature_check.compare(sent.data, received.data, MESSAGE)
        return self._found[pair]

    def _near(self, sent: _Kind, received: _Kind) -> tuple[bool, int]:
        # Prefers a receive buffer that is only too short, and among these the longest.
        differ = self._differ(sent, received)
        too_short = differ is not None and differ.rule.id == "truncation"
        return too_short, received.data.entries.signature.elements if too_short else 0

    def _finding(self, sent: _Kind, received: _Kind, meeting: Meeting) -> Finding:
        found = signature_check.compare(sent.data, received.data, meeting)
        assert found is not None
        template = "{said} were compared in any order: several threads use their channel"
        return found.with_detail(Phrase.of(template, said=self._said))
