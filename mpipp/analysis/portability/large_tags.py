# SPDX-License-Identifier: MIT
"""Check for tags that are larger than every MPI library supports (MPI-4.1, section 9.1.2)."""

from __future__ import annotations

from mpipp.analysis.context import channel_history
from mpipp.analysis.context.channel_history import Side
from mpipp.analysis.context.world import World
from mpipp.analysis.findings.finding import Finding, Findings
from mpipp.common.errors import MpippError
from mpipp.model import Channel

_SMALLEST_UB = 32767
_MOST_TOLD = 64


def check(known: World) -> Findings:
    """Yield the sends with such a tag, each place once.

    Raises MpippError at the end if there were too many.
    """
    told: set[object] = set()
    for side in channel_history.every(known, _has_large_tag):
        call = next((kept.call for kept in side.kinds), None)
        if call is None or call.site in told:
            continue
        if len(told) == _MOST_TOLD:
            raise MpippError(f"only the first {_MOST_TOLD} places with large tags were reported")
        told.add(call.site)
        yield _finding(side)


def _has_large_tag(channel: Channel) -> bool:
    is_send = channel_history.is_message(channel) and channel_history.is_sent(channel)
    return is_send and channel.tag > _SMALLEST_UB


def _finding(side: Side) -> Finding:
    operation = side.operation(side.kinds[0].call)
    return Finding.of("tag-range", [operation.party()], tag=side.channel.tag)
