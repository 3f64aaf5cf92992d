# SPDX-License-Identifier: MIT
"""The actions of the processes around a conflict of one-sided operations, or an erroneous call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mpipp.model import Site

if TYPE_CHECKING:  # the import is slow
    from mpipp.analysis.rma_engine import Conflict

_OPEN = -1  # stands for an unknown or open end
# For each kind of conflict, the relation between the two accesses.
_IS = {
    "pending": "not complete yet",
    "incomplete": "may not be complete",
    "unordered": "data race",
    "threads": "data race of threads",
    "copies": "not the same copy",
}

_ENDS = {
    "start": "MPI_Win_complete after the first, MPI_Win_wait at its target, then ",
    "lock": "MPI_Win_unlock or MPI_Win_flush after the first, then ",
    "lock_all": "MPI_Win_unlock_all or MPI_Win_flush after the first, then ",
}
# For each rule: the text of its event, the text of the conflicting event, and the missing or wrong
# part.
MISTAKEN = {
    "rma-no-epoch": (
        "no epoch is open for its target",
        "",
        "missing: a call that opens an epoch before",
    ),
    "rma-with-request": (
        "has a request",
        "opens an active target epoch",
        "missing: MPI_Win_lock or MPI_Win_lock_all, or the same without a request",
    ),
    "rma-given-up": (
        "has a request",
        "frees it",
        "missing: MPI_Wait, or another completing call",
    ),
    "rma-nested": (
        "opens an epoch that the other excludes",
        "opens an epoch",
        "missing: the end of the first epoch before the second",
    ),
    "rma-locked": ("locks it again", "locks the target", "missing: MPI_Win_unlock between the two"),
    "rma-no-locks": (
        "locks it",
        "passes the key no_locks",
        "wrong: the info key, or the lock",
    ),
    "rma-exposed": (
        "locks or exposes it",
        "has the same memory exposed or locked",
        "missing: the end of the first epoch before the second",
    ),
    "rma-not-open": ("no epoch is open", "", "missing: the call that opens the epoch"),
    "rma-not-ended": ("opens an epoch", "it is not ended", "missing: the call that ends the epoch"),
    "rma-gone": (
        "needs its buffer until it is complete",
        "its buffer ends before",
        "missing: a call that completes the operation while its buffer exists",
    ),
    "rma-window-gone": (
        "other processes may access the memory from here on",
        "the memory ends",
        "missing: a call that frees the window, or detaches the memory, before",
    ),
    "rma-twice": (
        "the datatype that it writes has overlapping entries",
        "",
        "wrong: the datatype",
    ),
    "rma-detached": (
        "its target's memory is not attached",
        "detaches it",
        "missing: MPI_Win_attach before it, and MPI_Win_detach after its end",
    ),
    "rma-nocheck": (
        "one of the two has MPI_MODE_NOCHECK",
        "one of the two has MPI_MODE_NOCHECK",
        "wrong: only one of the two has the assertion",
    ),
    "rma-not-posted": (
        "says that the targets have called MPI_Win_post",
        "may come later",
        "missing: a message of the target, which follows its call",
    ),
    "rma-some-fences": (
        "has the assertion",
        "has not",
        "wrong: only one of the two has the assertion",
    ),
    "rma-noprecede": (
        "says that no operation precedes",
        "opens the epoch of these operations",
        "wrong: the assertion",
    ),
    "rma-noput": ("says that nothing is put", "updates the window", "wrong: the assertion"),
    "rma-nostore": ("says that nothing was stored", "stores to the window", "wrong: the assertion"),
}


class Point(NamedTuple):
    """A call, or loads or stores at one place."""

    process: int  # its number among the checked processes
    call: str
    site: Site
    text: str = ""  # for an access or an erroneous call: its action


class Lifelines(NamedTuple):
    """Points of several processes; the other attributes refer to them by index.

    Attributes:
        points: the points; those of one process are in its order.
        epochs: the points at which an epoch begins and ends; -1: it is active.
        pending: an operation, and the call that completes it; -1: it is unknown.
        edges: the second point is ordered after the first, and after all earlier ones of its
            process.
        missing: the two accesses without order; equal if a call is erroneous by itself.
        why: the relation between these two.
        wanted: the call that would order them.
    """

    points: tuple[Point, ...]
    epochs: tuple[tuple[int, int], ...]
    pending: tuple[tuple[int, int], ...]
    edges: tuple[tuple[int, int], ...]
    missing: tuple[int, int]
    why: str
    wanted: str


class NumberedPoint(NamedTuple):
    """A point, with its process's rank in MPI_COMM_WORLD and its number in that process."""

    rank: int
    number: int
    point: Point


class Points:
    """A collection of points, each once."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], NumberedPoint] = {}

    def add(self, found: NumberedPoint) -> tuple[int, int]:
        """Add a point, and return its key for later references."""
        key = found[:2]
        known = self._found.get(key)
        if known is None or not known.point.text:
            self._found[key] = found
        return key

    def lifelines(
        self,
        epochs: list[tuple[tuple[int, int], tuple[int, int] | None]],
        pending: list[tuple[tuple[int, int], tuple[int, int] | None]],
        edges: list[tuple[tuple[int, int], tuple[int, int]]],
        missing: tuple[tuple[int, int], tuple[int, int]],
        why: tuple[str, str],
    ) -> Lifelines:
        """Return the lifelines of all points; the process of the first access comes first."""
        first = missing[0][0]
        keys = sorted(self._found, key=lambda key: (key[0] != first, key))
        places = {key: number for number, key in enumerate(keys)}

        def spans(
            of: list[tuple[tuple[int, int], tuple[int, int] | None]],
        ) -> tuple[tuple[int, int], ...]:
            both = ((places[one], places[end] if end else _OPEN) for one, end in of)
            return tuple(dict.fromkeys(both))

        return Lifelines(
            tuple(self._found[key].point for key in keys),
            spans(epochs),
            spans(pending),
            tuple((places[one], places[other]) for one, other in edges),
            (places[missing[0]], places[missing[1]]),
            *why,
        )


def why(found: Conflict, told: str) -> tuple[str, str]:
    """Return the relation of the accesses, and the missing synchronization.

    Args:
        told: the procedure that orders the second access's process after the first call, or "".
    """
    return _IS[found.why], f"missing: {_missing_completion(found, told)}"


def _missing_completion(found: Conflict, told: str) -> str:
    if found.why == "threads":
        return "a synchronization of the two threads"
    if found.why == "pending":
        return "a call that completes the first before the second"
    if found.why == "incomplete":
        before = told or "the processes synchronize"
        return f"a call that completes the first at its target before {before}"
    if found.why == "copies":
        return "a synchronization of the window in between"
    kind = found.first.epoch.kind if found.first.epoch is not None else ""
    if kind == "fence":
        return "a fence between the two"
    ends = _ENDS.get(kind, "")
    return f"{ends}a message or a barrier {'before the second' if ends else 'between the two'}"
