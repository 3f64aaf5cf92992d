# SPDX-License-Identifier: MIT
"""Search for the members that the elements of a datatype are on, without expanding regular parts.

A stream of elements descends into the program's type. At an array, a level whose stride is a
multiple of the element's size only selects the element, and is set aside. The other levels are
split at the bounds of elements. This pattern repeats after `size / gcd(stride, size)` steps. At a
record the levels are split at the members' bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from mpipp.common.lazy_dataclass import dataclass
from mpipp.program_types.compare.element_streams import Level, Stream
from mpipp.program_types.types import Array, Index, Path, Record, Scalar, Type

_MOST_STEPS = 100_000  # steps of one comparison, which take about a second


class TooMany(Exception):
    """The comparison would take too long. The placements that were already yielded are right."""


@dataclass(frozen=True)
class Placement:
    """Elements of one stream that are on one member in the same way.

    Attributes:
        where: "member", "padding", "outside" or "crossing" (an element in more than one place).
        path: leads to the scalar `kind`, or to its container if there is no scalar.
        offset: displacement of the first such scalar in the whole object.
        rest: displacement of the first element in that scalar.
    """

    stream: Stream
    where: str
    path: Path
    kind: Type
    offset: int
    rest: int


class _State(NamedTuple):
    # The state of a descending stream. `aside` are the levels set aside, `levels` the others.
    # `start` is relative to the current type, which is at `offset` in the whole object.
    stream: Stream
    aside: tuple[Level, ...]
    levels: tuple[Level, ...]
    start: int
    path: Path
    offset: int

    def done(self, where: str, kind: Type) -> Placement:
        stream = replace(self.stream, levels=self.aside + self.levels)
        return Placement(stream, where, self.path, kind, self.offset, self.start)

    def at(self, level: Level, i: int, levels: tuple[Level, ...]) -> _State:
        # The state from step `i` of `level` on, with these levels.
        return self._replace(
            stream=self.stream.moved(level, i), levels=levels, start=self.start + level.offset(i)
        )

    def inside(self, step: str | Index, offset: int) -> _State:
        return self._replace(
            start=self.start - offset, path=(*self.path, step), offset=self.offset + offset
        )

    @property
    def width(self) -> int:
        # Bytes from the start to the end of all elements of `levels`.
        return self.stream.size + sum(level.reach for level in self.levels)


class Placer:
    """Places streams on one type.

    `choose` selects an alternative of a union: it gets the placements on each, and returns the
    best.
    """

    def __init__(
        self, kind: Type, choose: Callable[[list[list[Placement]]], list[Placement]]
    ) -> None:
        self._kind = kind
        self._choose = choose
        self._steps = 0

    def place(self, stream: Stream) -> Iterator[Placement]:
        """Yield the placements of a stream's elements. Raises TooMany."""
        state = _State(stream, (), stream.levels, stream.start, (), 0)
        size = self._kind.size
        for part, low in self._cut(state, lambda at: _bounds(at, size)):
            if low is None:
                yield part.done("crossing", self._kind)
            elif low == 0 and size:
                yield from self._visit(part, self._kind)
            else:
                yield part.done("outside", self._kind)

    def _visit(self, state: _State, kind: Type) -> Iterator[Placement]:
        if isinstance(kind, Scalar):
            yield state.done("member", kind)
        elif isinstance(kind, Array):
            yield from self._array(state, kind)
        elif kind.union:
            ways = []
            for member in kind.members:
                if state.start + state.width <= member.type.size:
                    ways.append(list(self._visit(state.inside(member.name, 0), member.type)))
            yield from self._choose(ways) if ways else (state.done("crossing", kind),)
        else:
            yield from self._record(state, kind)

    def _array(self, state: _State, kind: Array) -> Iterator[Placement]:
        size = kind.distance
        outer = tuple(v for v in state.levels if v.stride % size == 0)
        inner = tuple(v for v in state.levels if v.stride % size)
        whole = state._replace(aside=state.aside + outer, levels=inner)
        combs = tuple((count, step // size) for count, step in (v.comb for v in outer))
        if state.start % size + whole.width > size and inner:
            for level in inner:
                period = size // math.gcd(level.stride, size)
                if level.steps > period:
                    apart = _listed if level.offsets else _periods
                    for part in apart(state, level, period, size):
                        yield from self._array(part, kind)
                    return
        for part, low in self._cut(whole, lambda at: _cell(at, size)):
            element = part.start // size
            index = Index(kind, element, combs)
            if low is None:
                yield part.inside(index, element * size).done("crossing", kind)
            else:
                yield from self._element(part.inside(index, low), kind)

    def _element(self, state: _State, kind: Array) -> Iterator[Placement]:
        size, distance = kind.element.size, kind.distance
        if size == distance:
            yield from self._visit(state, kind.element)
            return
        # In a section of an array, bytes between the elements count as padding.
        for part, low in self._cut(state, lambda at: (0, size) if at < size else (size, distance)):
            if low == 0:
                yield from self._visit(part, kind.element)
            else:
                yield part.done("crossing" if low is None else "padding", kind.element)

    def _record(self, state: _State, kind: Record) -> Iterator[Placement]:
        regions = list(kind.regions())

        def bounds(at: int) -> tuple[int, int]:
            return next((low, high) for low, high, _ in regions if low <= at < high)

        for part, low in self._cut(state, bounds):
            if low is None:
                yield part.done("crossing", kind)
                continue
            member = next(member for start, _, member in regions if start == low)
            if member is None:
                yield part.done("padding", kind)
            else:
                yield from self._visit(part.inside(member.name, low), member.type)

    def _cut(
        self, state: _State, bounds: Callable[[int], tuple[int, int]]
    ) -> Iterator[tuple[_State, int | None]]:
        # Splits a stream into parts in one region each, and yields the region's lower bound. The
        # bound is None for an element in more than one region.
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooMany
        low, high = bounds(state.start)
        if state.start + state.width <= high:
            yield state, low
            return
        wide = [level for level in state.levels if level.reach]
        widest = max(wide, key=lambda v: v.distance, default=None)
        if widest is None:
            yield state._replace(aside=state.aside + state.levels, levels=()), None
            return
        single = state._replace(levels=_without(state, widest))
        i = 0
        while i < widest.steps:
            step = single.at(widest, i, single.levels)
            low, high = bounds(step.start)
            room = high - step.width - step.start
            if room < 0:
                yield from self._cut(step, bounds)
                i += 1
                continue
            self._steps += 1
            if self._steps > _MOST_STEPS:
                raise TooMany
            many = widest.within(room, i)
            run = (widest.part(i, many),) if many > 1 else ()
            yield step._replace(levels=step.levels + run), low
            i += many


def _bounds(at: int, size: int) -> tuple[int, int]:
    # The region before, in, or after the object. `far` exceeds any displacement.
    far = 1 << 100
    if at < 0:
        return -far, 0
    return (0, size) if at < size else (size, far)


def _cell(at: int, size: int) -> tuple[int, int]:
    low = at // size * size
    return low, low + size


def _periods(state: _State, level: Level, period: int, _size: int) -> Iterator[_State]:
    # Splits a level of many steps in two. The outer level has steps of a whole period, after which
    # the place in the array's element is the same. The inner level is within a period. A rest may
    # remain.
    others = _without(state, level)
    whole, rest = divmod(level.steps, period)
    outer = Level(whole, level.stride * period, level.place, level.step * period)
    inner = Level(period, level.stride, level.place, level.step)
    yield state._replace(levels=(*others, outer, inner))
    if rest:
        last = Level(rest, level.stride, level.place, level.step)
        yield state.at(level, whole * period, (*others, last))


def _listed(state: _State, level: Level, _period: int, size: int) -> Iterator[_State]:
    # Groups listed blocks by their place in the array's element.
    others = _without(state, level)
    for places in level.remainders(state.start, size).values():
        yield state.at(level, places[0], (*others, level.chosen(places)))


def _without(state: _State, level: Level) -> tuple[Level, ...]:
    others = list(state.levels)
    others.remove(level)
    return tuple(others)
