# SPDX-License-Identifier: MIT
"""Stops of ranks that come together are one event, or one a rank."""

from __future__ import annotations

from typing import Any

from mpipp.dap import stop_events
from mpipp.dap.stop_events import BREAKPOINT, EXCEPTION, STEP, ThreadStop
from mpipp.ranks.stops import Stop


def at(rank: int, reason: str, cause: str = "", points: tuple[int, ...] = ()) -> ThreadStop:
    return ThreadStop(rank + 10, reason, Stop(rank, cause, "f at a.c:3"), points)


def events(stops: list[ThreadStop], all_stopped: bool) -> list[dict[str, Any]]:
    return [one["body"] for one in stop_events.events(stops, all_stopped)]


def test_equal_stops_of_all_ranks_are_one_event() -> None:
    stops = [at(rank, BREAKPOINT, "Breakpoint 1", (1,)) for rank in (2, 0, 1)]
    assert events(stops, True) == [
        {
            "reason": "breakpoint",
            "threadId": 10,
            "allThreadsStopped": True,
            "description": "Breakpoint 1",
            "text": "Breakpoint 1",
            "hitBreakpointIds": [1],
        }
    ]


def test_other_ranks_run() -> None:
    found = events([at(1, STEP), at(0, STEP)], False)
    assert [(one["threadId"], one.get("preserveFocusHint")) for one in found] == [
        (10, None),
        (11, True),
    ]
    assert not any(one["allThreadsStopped"] for one in found)


def test_the_worst_stop_is_first_and_others_have_their_reasons() -> None:
    stops = [at(0, STEP), at(1, STEP), at(2, EXCEPTION, "SIGSEGV")]
    found = events(stops, True)
    assert [(one["threadId"], one["reason"], one["allThreadsStopped"]) for one in found] == [
        (12, "exception", True),
        (10, "step", False),
        (11, "step", False),
    ]


def test_groups_have_the_ranks() -> None:
    stops = [Stop(0, "", "f"), Stop(3, "SIGSEGV", "g"), Stop(1, "", "f")]
    assert stop_events.groups(stops) == [
        {"ranks": "0-1", "cause": "", "place": "f", "hasEnded": False},
        {"ranks": "3", "cause": "SIGSEGV", "place": "g", "hasEnded": False},
    ]
