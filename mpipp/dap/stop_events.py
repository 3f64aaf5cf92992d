# SPDX-License-Identifier: MIT
"""The stops of ranks as events of the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mpipp.dap.messages import Message, event
from mpipp.ranks import rank_set
from mpipp.ranks.stops import Stop

ENTRY, STEP, PAUSE, BREAKPOINT, FUNCTION, DATA, EXCEPTION, GOTO = (
    *("entry", "step", "pause", "breakpoint", "function breakpoint"),
    *("data breakpoint", "exception", "goto"),
)
# The reasons, in the order in which a user sees them if ranks stop at the same time.
_ORDER = (EXCEPTION, DATA, BREAKPOINT, FUNCTION, GOTO, PAUSE, STEP, ENTRY)


class ThreadStop(NamedTuple):
    """The stop of a thread.

    Attributes:
        thread: its number for the client.
        reason: one of the reasons above.
        breakpoints: the numbers of the breakpoints that it has hit.
    """

    thread: int
    reason: str
    stop: Stop
    breakpoints: tuple[int, ...] = ()

    @property
    def why(self) -> tuple[object, ...]:
        """The cause. One event may report all stops with equal causes."""
        return self.reason, self.stop.cause, self.breakpoints

    @property
    def description(self) -> str:
        """The cause in words: "Breakpoint 1"."""
        return self.stop.cause or {PAUSE: "paused", ENTRY: "at the entry"}.get(self.reason, "")


def events(stops: Sequence[ThreadStop], all_stopped: bool) -> Iterator[Message]:
    """The events for stops that are reported at the same time.

    Args:
        all_stopped: no thread runs any more: the first event stands for all threads. Others follow
            only for threads that have stopped for another reason.
    """
    ordered = sorted(stops, key=lambda one: (_ORDER.index(one.reason), one.stop.rank))
    for number, one in enumerate(ordered):
        if number and all_stopped and one.why == ordered[0].why:
            continue
        body: dict[str, Any] = {
            "reason": one.reason,
            "threadId": one.thread,
            "allThreadsStopped": all_stopped and not number,
        }
        if one.description:
            body["description"] = body["text"] = one.description
        if one.breakpoints:
            body["hitBreakpointIds"] = list(one.breakpoints)
        # The client shows the first stop, and stays there at the following ones.
        if number:
            body["preserveFocusHint"] = True
        yield event("stopped", **body)


def groups(stops: Sequence[Stop]) -> list[dict[str, Any]]:
    """The stops, equal ones as one group, for the event `mpipp/stops`."""
    found: dict[Stop, list[int]] = {}
    for one in stops:
        found.setdefault(one._replace(rank=0), []).append(one.rank)
    return [
        {
            "ranks": rank_set.compact(ranks),
            "cause": one.cause,
            "place": one.place,
            "hasEnded": one.has_ended,
        }
        for one, ranks in found.items()
    ]
