# SPDX-License-Identifier: MIT
"""Advice about conflicts of one-sided operations, and about buffers that end too early.

The advice names only calls that are allowed in the operation's epoch and that are missing.
"""

from __future__ import annotations

from mpipp.analysis.rma_engine import Conflict, Mistake, Side, access_rules
from mpipp.model import rma_events as events

_UPDATED = ("target of a put", "target of an accumulate")
AT_TARGET = ("target of a get", *_UPDATED)
# Only in epochs of these kinds may a flush or a request complete operations.
_PASSIVE = ("lock", "lock_all")
_HEARD = "before the second begins: with a barrier or a message"
_ALIKE = "use the same window, operation, datatype and displacements for both"


def of_conflict(found: Conflict, ended: str, general: str) -> str:
    """Return the advice about a conflict.

    Args:
        ended: the procedure that has completed the first operation; "" if it is unknown.
        general: the advice of the rule.
    """
    pending = found.why == "pending"
    if found.why == "threads":
        return _between_threads(found, ended)
    if found.why in ("copies", "itself") or found.rule == access_rules.LOCKS:
        return general
    calls = _completing(found.first)
    if pending and found.rule == "rma-buffer":
        return f"complete the operation first, with {calls}; or use another buffer"
    if pending and found.rule == "rma-two-buffers":
        return (
            f"complete one operation before you start the other, with {calls}; or use two buffers"
        )
    order = _order(found, ended)
    if found.rule == "rma-accumulates":
        return f"{_ALIKE}, or {order}"
    if pending:
        return f"{order}; or use accumulates" if found.rule == "rma-target" else order
    return f"{order}{_locking(found)}"


def _between_threads(found: Conflict, ended: str) -> str:
    # The synchronization of two threads, in one process or in two.
    first, second = found.first.event, found.second.event
    after = ended or "the first access"
    if first.moment.process == second.moment.process:
        return (
            f"order the two threads after {after}, with a mutex, a barrier or a join; or use other "
            "memory"
        )
    return f"order the threads of both accesses after {after}: now only other threads synchronize"


def of_gone(found: Mistake, general: str) -> str:
    """Return the advice about the buffer of an operation that ends too early.

    Args:
        general: the advice of the rule.
    """
    event = found.event
    assert isinstance(event, events.Operation)
    for opened, end in reversed(found.epochs):
        number = event.moment.number
        is_open = opened.moment.number < number and (end is None or number < end.moment.number)
        if is_open and opened.kind in _CALLS and opened.target in (-1, event.target):
            calls = _calls(event, opened.kind, local=True)
            return f"complete the operation first, with {calls}; or keep the buffer longer"
    return general


def _completing(side: Side) -> str:
    """Return the calls that complete a conflict's operation in its epoch."""
    assert isinstance(side.event, events.Operation)
    kind = side.epoch.kind if side.epoch is not None else ""
    return _calls(side.event, kind, local=side.kind not in _UPDATED)


# For each epoch the calls that complete an operation at the origin, and at the target.
_CALLS = {
    "fence": ("MPI_Win_fence", "MPI_Win_fence"),
    "start": ("MPI_Win_complete", "MPI_Win_complete and, at its target, MPI_Win_wait"),
    "lock": ("MPI_Win_flush_local or MPI_Win_unlock", "MPI_Win_flush or MPI_Win_unlock"),
    "lock_all": (
        "MPI_Win_flush_local or MPI_Win_unlock_all",
        "MPI_Win_flush or MPI_Win_unlock_all",
    ),
}


def _calls(event: events.Operation, kind: str, *, local: bool) -> str:
    here, there = _CALLS.get(kind, ("the call that ends its epoch", "the call that ends its epoch"))
    waits = "MPI_Wait, " if event.request and local and kind in _PASSIVE else ""
    return f"{waits}{here if local else there}"


def _order(found: Conflict, ended: str) -> str:
    # The synchronization that would order the two accesses.
    first, second = found.first, found.second
    kind = first.epoch.kind if first.epoch is not None else ""
    calls = _completing(first)
    if kind == "fence":
        return "call MPI_Win_fence between the two, in all processes of the window"
    pending = found.why == "pending"
    if first.closed >= 0 and (not pending or first.closed < second.event.moment.number):
        if not pending and second.event.moment.process == found.owner:
            return "move the second access after MPI_Win_wait or before MPI_Win_post"
        if not pending and second.epoch is not None and second.epoch.kind == "start":
            return (
                "expose the memory to one process at a time: call MPI_Win_post for the second "
                "after MPI_Win_wait for the first"
            )
        who = "its process" if pending else "the other process"
        ended = "after the first has ended (MPI_Win_wait at its target)"
        return f"synchronize with {who} {ended} {_HEARD}"
    if pending:
        return f"complete the first before the second begins, with {calls}"
    if found.why == "incomplete":
        at = " at its target" if first.kind in _UPDATED else ""
        before = "before the call that synchronizes with the other process"
        return f"complete the first{at}, with {calls}, {before}"
    if not ended:
        return f"complete the first, with {calls}, then synchronize with the other process {_HEARD}"
    # The end of all epochs is often the program's end. So name an earlier completion, too.
    earlier = ", or MPI_Win_flush before" if ended == "MPI_Win_unlock_all" else ""
    ended = f"after the first has ended ({ended}{earlier})"
    return f"synchronize with the other process {ended} {_HEARD}"


def _locking(found: Conflict) -> str:
    # The advice to use an exclusive lock, which would keep the two accesses apart.
    sides = found.first, found.second
    windows = {one.event.window for one in sides if isinstance(one.event, events.Operation)}
    kinds = {one.epoch.kind for one in sides if one.epoch is not None}
    if found.rule not in ("rma-local", "rma-target") or len(windows) != 1:
        return ""
    if not kinds <= {*_PASSIVE}:
        return ""
    instead = " in place of MPI_Win_lock_all" if "lock_all" in kinds else ""
    return f"; or hold an exclusive lock of the target around each{instead}"
