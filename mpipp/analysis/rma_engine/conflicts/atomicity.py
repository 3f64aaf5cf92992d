# SPDX-License-Identifier: MIT
"""Check that two accumulates are atomic with respect to each other.

Accumulates are atomic, element by element (MPI-4.1, section 12.7.1), if they use one window and
equal operations. Elements that share bytes must also have the same basic datatype, and start at the
same displacement.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mpipp.analysis.rma_engine import access_rules
from mpipp.analysis.rma_engine.access_rules import Atomic
from mpipp.analysis.rma_engine.accesses import MIXED, Entry, Range, bounds, shared
from mpipp.model.rma_events import Comb, Memory


class Accumulates(NamedTuple):
    """Two accumulates in program order, and the effects of both."""

    before: Entry
    entry: Entry
    first: Atomic
    second: Atomic

    @classmethod
    def of(cls, before: Entry, entry: Entry) -> Accumulates:
        """Return the pair of two accesses that are accumulates."""
        if before.atomic is None or entry.atomic is None:
            raise ValueError("an access is no accumulate")
        return cls(before, entry, before.atomic, entry.atomic)


def disturbed(pair: Accumulates) -> Range | None:
    """Return bytes for which two accumulates are neither atomic together nor in order, or None."""
    before, entry, first, second = pair
    if first.reads_only and second.reads_only:
        return None
    if before.window != entry.window or not (first == second or _are_compatible(pair)):
        return shared(before, entry)
    if first.types == second.types and len(first.types) == 1:
        return _displaced(pair)
    if set(first.types) == set(second.types) and len(set(first.types)) <= 1:
        return None
    return _of_other_types(pair)


def _are_compatible(pair: Accumulates) -> bool:
    # Return whether MPI lets both update any element: the info keys of a window allow it, or MPI
    # keeps the program order.
    before, entry, first, second = pair
    return any(
        access_rules.may_update_together(first.op, second.op, made.accumulate_ops)
        or (
            before.actor == entry.actor
            and access_rules.in_order(first.does, second.does, made.accumulate_ordering)
        )
        for made in (before.made, entry.made)
        if made is not None
    )


def _displaced(pair: Accumulates) -> Range | None:
    # Bytes of elements that overlap but begin at different displacements.
    before, entry, first, second = pair
    same_size = first.size == second.size
    if before.memory == entry.memory and same_size:
        return None  # the usual case
    if before.phase == entry.phase != MIXED:
        return None
    size = min(first.size, second.size)
    if size <= 1 or (same_size and _are_in_step(before.memory, entry.memory, size)):
        return None
    if shared(before, entry) is None:
        return None
    others = _by_phase(entry, size)
    for begin, ours in _by_phase(before, size):
        for other, theirs in others:
            if begin != other:
                common = _shared(ours, theirs)
                if common is not None:
                    return common
    return None


def _are_in_step(one: Memory, other: Memory, size: int) -> bool:
    # Return whether both have the same elements, or elements of one array, perhaps with gaps.
    # In these cases overlapping elements are the same element.
    if one == other:
        return True
    if not len(one) == len(other) == 1:
        return False
    ours, theirs = one[0], other[0]
    return (
        ours.length == theirs.length == size
        and ours.stride == theirs.stride >= size
        and (ours.first - theirs.first) % ours.stride == 0
    )


def _by_phase(entry: Entry, size: int) -> list[tuple[int, Entry]]:
    # The bytes, grouped by the start of their elements modulo the element's size.
    if entry.phases is None or entry.phases[0] != size:
        parts = _parts(entry.memory, size)
        entry.phases = (
            size,
            [
                (begin, _part(entry, memory, box))
                for begin, memory in parts.items()
                if (box := bounds(memory)) is not None
            ],
        )
    return entry.phases[1]


def _parts(memory: Memory, size: int) -> dict[int, Memory]:
    found: dict[int, list[Comb]] = {}
    for first, length, stride, times in memory:
        if length <= 0 or length % size:
            continue  # the start of the elements is unknown
        period = size // math.gcd(stride, size)
        for at in range(min(period, times)):
            begin = first + at * stride
            some = Comb(begin, length, stride * period, -((at - times) // period))
            found.setdefault(begin % size, []).append(some)
    return {begin: tuple(some) for begin, some in found.items()}


def _of_other_types(pair: Accumulates) -> Range | None:
    # Bytes that belong to elements of different basic datatypes.
    for ours, type_ in _typed(pair.before, pair.first.types):
        for theirs, other in _typed(pair.entry, pair.second.types):
            if type_ != other:
                common = _shared(ours, theirs)
                if common is not None:
                    return common
    return None


def _typed(entry: Entry, types: tuple[str, ...]) -> list[tuple[Entry, str]]:
    return [
        (_part(entry, (part,), box), types[min(at, len(types) - 1)] if types else "")
        for at, part in enumerate(entry.memory)
        if (box := bounds((part,))) is not None
    ]


def _part(entry: Entry, memory: Memory, box: Range) -> Entry:
    # An access to a part of the bytes.
    return Entry(entry.kind, entry.event, entry.segment, entry.owner, memory, *box)


def _shared(one: Entry, other: Entry) -> Range | None:
    # Like `shared`, but the bounding boxes need not overlap.
    common = shared(one, other)
    return common if common is not None and common[0] < common[1] else None
