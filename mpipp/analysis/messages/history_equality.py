# SPDX-License-Identifier: MIT
"""A quick comparison of histories: both sides have equal counts of data that match for any count.

Most programs send no other messages. So a million messages are compared in the time that it takes
to read them.
"""

from __future__ import annotations

from mpipp.analysis.context import signature_check
from mpipp.analysis.context.channel_history import Side
from mpipp.analysis.context.process import Process
from mpipp.analysis.context.signature_check import Data
from mpipp.common.errors import MpippError
from mpipp.datatypes.signatures import matching
from mpipp.model import Call, Outline

_Pair = tuple[bytes, bytes]  # heads of two calls


class HistoryComparison:
    """Compares the complete histories of channels."""

    def __init__(self) -> None:
        self._known: dict[tuple[Process, Process], dict[_Pair, bool]] = {}

    def matches(self, sent: Side, received: Side) -> bool:
        """Return whether there are certainly no findings; else the calls must be compared."""
        one, other = sent.outline, received.outline
        if one is None or other is None or one.period != other.period:
            return False
        numbers = one.numbers, other.numbers
        if numbers[0] != numbers[1]:
            # If one process's ledger became full before the other's, its history lacks the later
            # calls.
            least = min(map(len, numbers))
            if one.period or numbers[0][:least] != numbers[1][:least]:
                return False
        processes = sent.member.process, received.member.process
        known = self._known.setdefault(processes, {})
        return all(
            known[pair] if pair in known else self._learn(known, pair, (sent, received), one, other)
            for pair in set(zip(one.heads, other.heads))
        )

    def _learn(
        self,
        known: dict[_Pair, bool],
        heads: _Pair,
        ends: tuple[Side, Side],
        one: Outline,
        other: Outline,
    ) -> bool:
        # Items without a head are runs, whose numbers the caller has compared.
        if not all(heads):
            known[heads] = not any(heads)
        else:
            sent = data_of(ends[0], one.call(heads[0], 1))
            received = data_of(ends[1], other.call(heads[1], 1))
            known[heads] = _is_equal(sent, received)
        return known[heads]


def data_of(side: Side, call: Call) -> Data | None:
    """Return the data of a call; None if they are unknown."""
    if len(call.buffers) != 1:
        return None
    return signature_check.buffer_data(side.operation(call), call.buffers[0])


def _is_equal(sent: Data | None, received: Data | None) -> bool:
    # If one entry of the sent data matches one entry of the received data, equal numbers of entries
    # match.
    if sent is None or received is None:
        return True  # unknown data give no finding
    try:
        found = matching.compare(sent.entries.signature, received.entries.signature)
    except MpippError:
        return False
    return found.verdict == "match"
