# SPDX-License-Identifier: MIT
"""The values of one expression in many ranks, with equal values merged and a summary of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Union

from mpipp.common.text import wording

Number = Union[int, float]
_MOST_GROUPS = 12  # different values that are shown
_MOST_ELEMENTS = 6  # different elements that are shown for a group
_LONGEST = 160  # characters of a value


class Shape(NamedTuple):
    """The dimensions of an array, in the order in which the language writes them.

    Attributes:
        counts: the number of elements in each dimension; () for a scalar.
        lows: the first index of each dimension.
        fortran: True if the first index varies fastest in memory.
    """

    counts: tuple[int, ...] = ()
    lows: tuple[int, ...] = ()
    fortran: bool = False

    def element(self, number: int) -> str:
        """The name of an element, by its position in memory: "[2][5]", "(2,5)"."""
        dims = list(zip(self.counts, self.lows))
        indices = []
        for count, low in dims if self.fortran else reversed(dims):
            number, index = divmod(number, count)
            indices.append(index + low)
        if self.fortran:
            return f"({','.join(map(str, indices))})"
        return "".join(f"[{index}]" for index in reversed(indices))


class Value(NamedTuple):
    """The value in one rank.

    Attributes:
        text: the debugger's text.
        numbers: the elements in the order of memory; one number for a scalar; None for other
            values.
    """

    rank: int
    text: str
    numbers: tuple[Number, ...] | None = None
    shape: Shape = Shape()


class Group(NamedTuple):
    """Ranks with the same value."""

    ranks: list[int]
    value: Value

    @property
    def name(self) -> str:
        """Return the name of the group: "ranks 0 to 3"."""
        return wording.ranks(self.ranks)


def groups(values: Sequence[Value]) -> list[Group]:
    """The different values, in the order of their lowest ranks."""
    found: dict[object, Group] = {}
    for value in sorted(values, key=lambda one: one.rank):
        found.setdefault(_key(value), Group([], value)).ranks.append(value.rank)
    return list(found.values())


def _key(value: Value) -> object:
    # A key that is equal for equal values. The key is text because a NaN is not equal to itself.
    numbers = None if value.numbers is None else tuple(map(repr, value.numbers))
    return value.text if numbers is None else numbers, value.shape


def lines(values: Sequence[Value], expression: str) -> Iterator[str]:
    """Each different value once, then the differences of arrays, and a summary of numbers."""
    found = groups(values)
    for group in found[:_MOST_GROUPS]:
        yield f"{group.name}: {expression} = {_cut(group.value.text)}"
    if len(found) > _MOST_GROUPS:
        rest = [rank for group in found[_MOST_GROUPS:] for rank in group.ranks]
        different = wording.counted(len(found) - _MOST_GROUPS, "other value")
        yield f"{wording.ranks(rest)}: {different}"
    yield from _differences(found)
    yield from _summary(found)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _differences(found: Sequence[Group]) -> Iterator[str]:
    # Compare arrays of one shape with the value that most ranks have.
    if len(found) < 2 or len(found) > _MOST_GROUPS:
        return
    usual = max(found, key=lambda group: (len(group.ranks), -group.ranks[0]))
    expected, shape = usual.value.numbers, usual.value.shape
    if not expected or not shape.counts:
        return
    for group in found:
        numbers = group.value.numbers
        if group is usual or not numbers or group.value.shape != shape:
            continue
        verb = "differs" if len(group.ranks) == 1 else "differ"
        differences = _element_differences(group.value, usual.value)
        yield f"{group.name} {verb} from {usual.name} in {differences}"


def _element_differences(value: Value, usual: Value) -> str:
    # "1 of 6 elements: [1][2] 9 instead of 6". Both arrays have the same shape.
    numbers, expected = value.numbers or (), usual.numbers or ()
    pairs = enumerate(zip(numbers, expected))
    places = [i for i, (one, other) in pairs if repr(one) != repr(other)]
    shown = [
        f"{value.shape.element(i)} {_text(numbers[i])} instead of {_text(expected[i])}"
        for i in places[:_MOST_ELEMENTS]
    ]
    if len(places) > len(shown):
        shown.append("...")
    elements = wording.counted(len(expected), "element")
    return f"{len(places)} of {elements}: {', '.join(shown)}"


def change_lines(before: Sequence[Value], now: Sequence[Value]) -> Iterator[str]:
    """Compare the value in each rank with the earlier one, and merge equal changes into
    one line."""
    earlier = {value.rank: value for value in before}
    found: dict[str, list[int]] = {}
    for value in sorted(now, key=lambda one: one.rank):
        found.setdefault(_change(earlier.get(value.rank), value), []).append(value.rank)
    for change, ranks in found.items():
        yield f"{wording.ranks(ranks)}: {change}"
    missing = sorted(set(earlier).difference(value.rank for value in now))
    if missing:
        yield f"{wording.ranks(missing)}: only in the file"


def _change(before: Value | None, now: Value) -> str:
    if before is None:
        return "not in the file"
    if _key(before) == _key(now):
        return "as in the file"
    if before.shape == now.shape and now.shape.counts and before.numbers and now.numbers:
        return f"other values in {_element_differences(now, before)}"
    return f"{_cut(now.text)} instead of {_cut(before.text)}"


class _Element(NamedTuple):
    number: Number
    group: Group
    place: int  # position in memory

    @property
    def where(self) -> str:
        shape = self.group.value.shape
        return self.group.name + (f", {shape.element(self.place)}" if shape.counts else "")


def _summary(found: Sequence[Group]) -> Iterator[str]:
    if any(group.value.numbers is None for group in found):
        return
    every = [
        _Element(number, group, index)
        for group in found
        for index, number in enumerate(group.value.numbers or ())
    ]
    finite = [one for one in every if math.isfinite(one.number)]
    if finite and len(every) > 1:
        low, high = (pick(finite, key=lambda one: one.number) for pick in (min, max))
        weights = sum(len(one.group.ranks) for one in finite)
        mean = math.fsum(one.number * (len(one.group.ranks) / weights) for one in finite)
        yield (
            f"min {_text(low.number)} ({low.where}), max {_text(high.number)} ({high.where}), "
            f"mean {_text(mean)}"
        )
    odd = [one for one in every if not math.isfinite(one.number)]
    for one in odd[:_MOST_ELEMENTS]:
        yield f"not finite: {_text(one.number)} ({one.where})"
    if len(odd) > _MOST_ELEMENTS:
        yield f"not finite: {len(odd) - _MOST_ELEMENTS} more"


def _text(number: Number) -> str:
    return f"{number:.12g}" if isinstance(number, float) else str(number)
