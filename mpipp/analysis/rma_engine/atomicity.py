# SPDX-License-Identifier: MIT
"""Are two accumulates atomic together? Element by element they are (MPI-4.1, section 12.7.1): if
one window has them, the operations are equal, and elements that share bytes are of one basic
datatype and begin at one displacement.
"""

from __future__ import annotations

import math

from mpipp.analysis.rma_engine import access_rules
from mpipp.analysis.rma_engine.accesses import MIXED, Entry, Range, bounds, shared
from mpipp.model.rma_events import Comb, Memory


def disturbed(before: Entry, entry: Entry) -> Range | None:
    """Bytes for which two accumulates are neither atomic together nor in order."""
    first, second = before.atomic, entry.atomic
    assert first is not None
    assert second is not None
    if first.reads_only and second.reads_only:
        return None
    if before.window != entry.window or not (first == second or _together(before, entry)):
        return shared(before, entry)
    if first.types == second.types and len(first.types) == 1:
        return _displaced(before, entry)
    if set(first.types) == set(second.types) and len(set(first.types)) <= 1:
        return None
    return _of_other_types(before, entry)


def _together(before: Entry, entry: Entry) -> bool:
    # By what either of them may rely on, whatever the elements are.
    first, second = before.atomic, entry.atomic
    assert first is not None
    assert second is not None
    return any(
        access_rules.may_update_together(first.op, second.op, made.accumulate_ops)
        or (
            before.actor == entry.actor
            and access_rules.in_order(first.does, second.does, made.accumulate_ordering)
        )
        for made in (before.made, entry.made)
        if made is not None
    )


def _displaced(before: Entry, entry: Entry) -> Range | None:
    # Bytes that elements share which begin at different displacements.
    assert before.atomic is not None
    assert entry.atomic is not None
    if before.memory == entry.memory and before.atomic.size == entry.atomic.size:
        return None  # as most that meet
    if before.phase == entry.phase != MIXED:
        return None
    size = min(before.atomic.size, entry.atomic.size)
    same_size = before.atomic.size == entry.atomic.size
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
    # The same elements, or such of one array: of pairs, say, which have gaps.
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
    # By where elements of a size begin, modulo that: their bytes.
    if entry.phases is None or entry.phases[0] != size:
        parts = _parts(entry.memory, size)
        entry.phases = size, [(begin, _part(entry, memory)) for begin, memory in parts.items()]
    return entry.phases[1]


def _parts(memory: Memory, size: int) -> dict[int, Memory]:
    found: dict[int, list[Comb]] = {}
    for first, length, stride, times in memory:
        if length <= 0 or length % size:
            continue  # where they begin is not known
        period = size // math.gcd(stride, size)
        for at in range(min(period, times)):
            begin = first + at * stride
            some = Comb(begin, length, stride * period, -((at - times) // period))
            found.setdefault(begin % size, []).append(some)
    return {begin: tuple(some) for begin, some in found.items()}


def _of_other_types(before: Entry, entry: Entry) -> Range | None:
    # Bytes that are of different basic datatypes.
    assert before.atomic is not None
    assert entry.atomic is not None
    for ours, type_ in _typed(before, before.atomic.types):
        for theirs, other in _typed(entry, entry.atomic.types):
            if type_ != other:
                common = _shared(ours, theirs)
                if common is not None:
                    return common
    return None


def _typed(entry: Entry, types: tuple[str, ...]) -> list[tuple[Entry, str]]:
    return [
        (_part(entry, (part,)), types[min(at, len(types) - 1)] if types else "")
        for at, part in enumerate(entry.memory)
        if bounds((part,)) is not None
    ]


def _part(entry: Entry, memory: Memory) -> Entry:
    # Some of its bytes.
    box = bounds(memory)
    assert box is not None
    return Entry(entry.kind, entry.event, entry.segment, entry.owner, memory, *box)


def _shared(one: Entry, other: Entry) -> Range | None:
    # Although their boxes need not meet.
    common = shared(one, other)
    return common if common is not None and common[0] < common[1] else None
