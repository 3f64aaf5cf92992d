# SPDX-License-Identifier: MIT
"""Which members do the elements of a datatype lie on? Regular parts are never expanded.

A stream of elements descends into the program's type. At an array, levels whose stride is a
multiple of the element's size only choose the element, and are set aside. The rest is cut at the
bounds of elements, which repeats after `size / gcd(stride, size)` steps. At a record it is cut at
the members' bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from mpipp.program_types.compare.element_streams import Level, Stream
from mpipp.program_types.types import Array, Index, Path, Record, Scalar, Type

_MOST_STEPS = 100_000  # of one comparison: about a second


class TooMany(Exception):
    """The comparison would take too long; what was placed until then is right."""


@dataclass(frozen=True)
class Placement:
    """Elements of one stream that lie in one way on one member.

    `where` is "member", "padding", "outside" or "crossing" (an element in more than one place).
    `path` leads to the scalar `kind`, or to its container if there is no scalar. `offset` is that
    of the first of these in the whole object, `rest` that of the first element in it.
    """

    stream: Stream
    where: str
    path: Path
    kind: Type
    offset: int
    rest: int


class _State(NamedTuple):
    # A stream during its placement. `levels` are not yet set aside. `start` is from the beginning
    # of the current type, which is at `offset` of the whole object.
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
        # From step i of `level` on, with these levels.
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
    """Places streams on one type; `choose` picks among the alternatives of a union.

    `choose` gets the placements on each alternative and returns the best of them.
    """

    def __init__(
        self, kind: Type, choose: Callable[[list[list[Placement]]], list[Placement]]
    ) -> None:
        self._kind = kind
        self._choose = choose
        self._steps = 0

    def place(self, stream: Stream) -> Iterator[Placement]:
        """Where the elements of a stream lie. Raises TooMany."""
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
        # Elements outside a section of an array count as padding.
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
        # Parts that lie in one region, with its lower bound; None: a single element (of these
        # levels) that lies in more than one.
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
    # Before, in, or after the object: far is beyond any displacement.
    far = 1 << 100
    if at < 0:
        return -far, 0
    return (0, size) if at < size else (size, far)


def _cell(at: int, size: int) -> tuple[int, int]:
    low = at // size * size
    return low, low + size


def _periods(state: _State, level: Level, period: int, _size: int) -> Iterator[_State]:
    # The state with a level of many steps split in two, and the rest. One level has whole periods,
    # which keep the place in the array's element; the other is within a period.
    others = _without(state, level)
    whole, rest = divmod(level.steps, period)
    outer = Level(whole, level.stride * period, level.place, level.step * period)
    inner = Level(period, level.stride, level.place, level.step)
    yield state._replace(levels=(*others, outer, inner))
    if rest:
        last = Level(rest, level.stride, level.place, level.step)
        yield state.at(level, whole * period, (*others, last))


def _listed(state: _State, level: Level, _period: int, size: int) -> Iterator[_State]:
    # The listed blocks that keep the place in the array's element, together.
    others = _without(state, level)
    for places in level.remainders(state.start, size).values():
        yield state.at(level, places[0], (*others, level.chosen(places)))


def _without(state: _State, level: Level) -> tuple[Level, ...]:
    others = list(state.levels)
    others.remove(level)
    return tuple(others)
