# SPDX-License-Identifier: MIT
"""Shared-memory windows: the owners of the bytes in loads, stores and buffers.

With MPI_Win_shared_query, memory of other processes is mapped into a process's own addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.model.rma_events import Comb, Lent, Memory

OWN = -1  # in place of this process's rank


class Segment(NamedTuple):
    """Another process's part of a window, mapped at [low, high) in this process.

    Attributes:
        window: the window's serial.
        owner: the owner's rank in MPI_COMM_WORLD.
        there: the address of the same memory in the owner.
    """

    window: int
    low: int
    high: int
    owner: int
    there: int


class Segments:
    """The shared-memory segments that are mapped into one process."""

    def __init__(self) -> None:
        self._all: list[Segment] = []

    def add(self, one: Segment) -> None:
        """Add a segment."""
        self._all.append(one)
        self._all.sort(key=lambda segment: segment.low)

    def free(self, window: int) -> None:
        """Remove a window's segments."""
        self._all = [one for one in self._all if one.window != window]

    def parts(self, comb: Comb) -> Iterator[tuple[int, Memory]]:
        """Yield the bytes of a load or store by this process, by owner, at the owner's
        addresses."""
        for one, found in self._parts(comb):
            yield (one.owner, _moved(found, one)) if one is not None else (OWN, found)

    def of_buffer(self, memory: Memory, written: bool) -> tuple[Memory, tuple[Lent, ...]]:
        """Split a buffer of an operation into this process's part and those of other processes."""
        if not self._all:
            return memory, ()
        own, others = list[Comb](), list[Lent]()
        for comb in memory:
            for one, found in self._parts(comb):
                if one is None:
                    own += found
                else:
                    shift = one.there - one.low
                    others.append(Lent(written, one.owner, _moved(found, one), shift))
        return tuple(own), tuple(others)

    def _parts(self, comb: Comb) -> Iterator[tuple[Segment | None, Memory]]:
        # Splits bytes by owner, at this process's addresses. The segment is None for its own bytes.
        if comb.stride < 0:
            first = comb.first + comb.stride * (comb.times - 1)
            comb = comb._replace(first=first, stride=-comb.stride)
        low, high = comb.first, comb.first + comb.stride * (comb.times - 1) + comb.length
        own, at = list[Comb](), low
        for one in self._all:
            if one.high <= at or one.low >= high:
                continue
            own += _within(comb, at, one.low)
            found = _within(comb, one.low, one.high)
            if found:
                yield one, tuple(found)
            at = one.high
        own += [comb] if at == low else _within(comb, at, high)
        if own:
            yield None, tuple(own)


def _moved(memory: Memory, to: Segment) -> Memory:
    # The bytes at the addresses that they have in the owner.
    return tuple(part._replace(first=part.first + to.there - to.low) for part in memory)


def _within(comb: Comb, low: int, high: int) -> list[Comb]:
    # The bytes in [low, high): all complete blocks as one item, and parts of cut blocks.
    if low >= high:
        return []
    first, length, stride, times = comb
    if times == 1 or stride <= length:
        length += stride * (times - 1)
        start, end = max(first, low), min(first + length, high)
        return [Comb(start, end - start, 0, 1)] if start < end else []
    begin = max(0, (low - first - length) // stride + 1)
    end = min(times, -((first - high) // stride))
    whole = min(max(begin, -((first - low) // stride)), end)
    behind = max(whole, min(end, (high - length - first) // stride + 1))
    found = [Comb(first + whole * stride, length, stride, behind - whole)] * (whole < behind)
    for index in (*range(begin, whole), *range(behind, end)):
        found += _within(Comb(first + index * stride, length, 0, 1), low, high)
    return found
