# SPDX-License-Identifier: MIT
"""The explanation of a hang as JSON; docs/reference/json.md has the schema."""

from __future__ import annotations

from typing import Any

from mpipp.analysis.deadlock.analysis import Explanation, Knot, State, Wait
from mpipp.analysis.deadlock.sentences import Place, Sentences
from mpipp.analysis.deadlock.waits.conditions import Event, Unknown, events, parts
from mpipp.analysis.deadlock_text.report import Report, merged

_MOST_NEAR = 8
_MOST_REASONS = 64


def record(found: Explanation, place: Place) -> dict[str, Any]:
    """Return the record of one job."""
    report, say = Report(found, place), Sentences(found, place)
    return {
        "size": found.world.size,
        "missing": list(found.missing),
        "deadlocks": [_knot(found, knot, report) for knot in found.knots],
        "processes": [_process(found, state, say) for state in found.states.values()],
    }


def _knot(found: Explanation, knot: Knot, report: Report) -> dict[str, Any]:
    kind = "mismatch" if knot.mismatch else "deadlock" if knot.circle else "waits forever"
    polls = found.polls(knot)
    return {
        "kind": "no progress" if polls else kind,
        "what": report.headline(knot),
        "ranks": sorted(knot.ranks),
        "circle": list(knot.circle),
        "ended": list(knot.ended),
        "behind": list(knot.behind),
        "certain": found.certain(knot) and not polls,
        "only_library": knot.lenient,
    }


def _process(found: Explanation, state: State, say: Sentences) -> dict[str, Any]:
    return {
        "rank": state.rank,
        "state": "stuck" if state.rank in found.stuck else state.kind,
        "where": say.stands(state.rank).text,
        "calls": [_wait(found, wait, say) for wait in state.waits],
    }


def _wait(found: Explanation, wait: Wait, say: Sentences) -> dict[str, Any]:
    lacks = merged(found.lacks(wait, lenient=True) or events(wait.condition))
    return {
        "procedure": wait.operation.call.procedure,
        "text": say.call(wait.operation).text,
        "waits_for": [_event(event, say) for event in lacks],
        "not_told": _reasons(wait, say),
    }


def _reasons(wait: Wait, say: Sentences) -> list[str]:
    # Returns each reason once, because a call may wait for very many requests.
    unknown = (one for one in parts(wait.condition) if isinstance(one, Unknown))
    return list(dict.fromkeys(say.unknown_reason(one).text for one in unknown))[:_MOST_REASONS]


def _event(event: Event, say: Sentences) -> dict[str, Any]:
    return {
        "what": event.kind,
        "ranks": sorted(event.ranks),
        "one_of": event.any,
        "only_library": event.lenient,
        "operation": say.call(event.operation).text,
        "text": say.lack(event).text,
        "near_misses": say.near_misses(event, _MOST_NEAR),
    }
