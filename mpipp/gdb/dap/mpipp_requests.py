# SPDX-License-Identifier: MIT
"""Requests that only mpipp defines: stacks, values, states and messages of all ranks as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gdb

from mpipp.common.errors import MpippError
from mpipp.dap.arguments import Arguments, optional, required
from mpipp.gdb.all_ranks import call_times, messages_text, stacks, values, where_text
from mpipp.gdb.analysis import check_text, why_text
from mpipp.gdb.commands.debug_session.focus import chosen
from mpipp.gdb.debug_session.group import Group
from mpipp.ranks import rank_set, stack_tree, states
from mpipp.ranks import values as merged
from mpipp.ranks.states import State


def where(_arguments: Arguments) -> dict[str, Any]:
    """Return the stacks of all ranks as a tree, and as text."""
    return {**_document(where_text.lines("", {"--json"})), "text": [*where_text.lines("", ())]}


def why(_arguments: Arguments) -> dict[str, Any]:
    """Return the cause of a hang, and its text."""
    return {**_document(why_text.lines("", {"--json"})), "text": [*why_text.lines("", ())]}


def check(arguments: Arguments) -> dict[str, Any]:
    """Return the findings of `mpipp check`, and their text."""
    wanted = optional(arguments, "checks", "")
    leaks = optional(arguments, "leaks", False)
    found = _document(check_text.lines(wanted, leaks, True))
    return {**found, "text": check_text.lines(wanted, leaks, False)}


def messages(_arguments: Arguments) -> dict[str, Any]:
    """Return the messages between ranks, and their text."""
    found = _document(messages_text.lines({"--json"}))
    return {**found, "text": [*messages_text.lines(())]}


def status(_arguments: Arguments) -> dict[str, Any]:
    """Return the states of the ranks. Ranks in the same state share one entry."""
    found = stacks.gathered()
    return {
        "states": [one for job in found.jobs for one in _states(job)],
        "withoutRank": [_state(one, {}) for one in states.states(found.others)],
        "failures": found.failures,
    }


def _states(job: stacks.Job) -> Iterator[dict[str, Any]]:
    times = {rank: call_times.seconds(process) for rank, process in job.live.items()}
    since = {rank: passed for rank, passed in times.items() if passed is not None}
    return (_state(one, since) for one in states.states(job.stacks))


def _state(one: State, since: dict[int, float]) -> dict[str, Any]:
    seconds = [since[rank] for rank in stack_tree.members(one.ranks) if rank in since]
    return {
        "ranks": stack_tree.runs(one.ranks),
        "count": stack_tree.count(one.ranks),
        "call": one.call,
        "state": one.text,
        "place": one.place,
        "seconds": max(seconds) if seconds and one.call else None,
    }


def print_ranks(arguments: Arguments) -> dict[str, Any]:
    """Return the values of an expression in all ranks, and their text. Ranks with equal values
    share one entry."""
    expression = required(arguments, "expression", str).strip()
    if not expression:
        raise MpippError("the argument expression is empty")
    found = values.gathered(expression)
    return {
        "values": [
            {
                "ranks": rank_set.compact(group.ranks),
                "count": len(group.ranks),
                "value": group.value.text,
                "numbers": _numbers(group.value.numbers),
                "shape": group.value.shape._asdict(),
            }
            for group in merged.groups(found.by_rank.values)
        ],
        "failures": [{"rank": rank, "reason": why} for rank, why in found.by_rank.failures.items()],
        "text": [*merged.lines(found.by_rank.values, expression)],
    }


def _numbers(found: Iterable[merged.Number] | None) -> list[Any] | None:
    # JSON has no infinities and no NaN.
    if found is None:
        return None
    return [one if abs(one) < float("inf") else repr(one) for one in found]


def focus(group: Group, arguments: Arguments) -> dict[str, Any]:
    """Choose the ranks that the requests for running apply to, if the client names ranks. Return
    the ranks in the focus."""
    wanted = optional(arguments, "ranks", "").strip()
    if wanted:
        selected = group.rank(gdb.selected_inferior())
        group.set_focus(None if wanted == rank_set.ALL else chosen(group, wanted))
        group.select_one_of(group.focus, selected or 0)
    return {"ranks": rank_set.compact(group.focus), "focus": group.focus_text}


REQUESTS: dict[str, Callable[[Arguments], dict[str, Any]]] = {
    "mpipp/where": where,
    "mpipp/why": why,
    "mpipp/check": check,
    "mpipp/messages": messages,
    "mpipp/status": status,
    "mpipp/printRanks": print_ranks,
}


def _document(lines: Iterable[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("\n".join(lines))
    return found
