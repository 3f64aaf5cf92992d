# SPDX-License-Identifier: MIT
"""The owners of memory in loads, stores and buffers: memory of others in windows of shared memory
lies at a process's own addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mpipp.model.rma_events import Comb, Lent, Memory

OWN = -1  # in place of an owner's rank


class Segment(NamedTuple):
    """Another process's part of a window, at [low, high) of this one.

    Attributes:
        owner: its rank in MPI_COMM_WORLD; it has that memory at `there`.
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
        """A window has it from now on."""
        self._all.append(one)
        self._all.sort(key=lambda segment: segment.low)

    def free(self, window: int) -> None:
        """The window is there no more."""
        self._all = [one for one in self._all if one.window != window]

    def parts(self, comb: Comb) -> Iterator[tuple[int, Memory]]:
        """Each owner's bytes of what this process has loaded or stored to, by its addresses."""
        for one, found in self._parts(comb):
            yield (one.owner, _moved(found, one)) if one is not None else (OWN, found)

    def of_buffer(self, memory: Memory, written: bool) -> tuple[Memory, tuple[Lent, ...]]:
        """Split a buffer of an operation into the process's own part and those of others."""
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
        # By this process's addresses; None: its own.
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
    # At its owner's addresses.
    return tuple(part._replace(first=part.first + to.there - to.low) for part in memory)


def _within(comb: Comb, low: int, high: int) -> list[Comb]:
    # Its bytes in [low, high): blocks that are whole there, and what others have there.
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
