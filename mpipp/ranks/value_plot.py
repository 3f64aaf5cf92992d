# SPDX-License-Identifier: MIT
"""Values of ranks drawn as text: a bar or a row of cells for each rank, or a map of an array."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from mpipp.common.text import wording
from mpipp.ranks.values import Number, Value, groups

_BAR = 40  # characters of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_SHADES = " ░▒▓█"
_ODD = "!"  # the cell of a number that is not finite
_MOST_ROWS, _MOST_COLUMNS = 64, 64
_MOST_MAPS = 8
_Item = TypeVar("_Item")


class Map(NamedTuple):
    """A picture of rows of cells. Each cell is the mean of some numbers, NaN if one is not finite.

    Attributes:
        title: "ranks 0 to 3"; "" if each row is a rank.
        names: the names of the rows.
    """

    title: str
    names: list[str]
    rows: list[list[float]]


class Scale(NamedTuple):
    """The range of the finite numbers."""

    low: float
    high: float

    def part(self, number: float) -> float:
        """The relative position of a number in the range, from 0 to 1."""
        return (number - self.low) / (self.high - self.low) if self.high > self.low else 0.0

    @property
    def text(self) -> str:
        """Return the range as text: "0.5 to 3"."""
        return f"{self.low:.6g} to {self.high:.6g}"


def are_scalars(values: Sequence[Value]) -> bool:
    """Return whether all values are single numbers, which can be drawn as bars."""
    return all(value.numbers is not None and not value.shape.counts for value in values)


def scale(numbers: Sequence[Number]) -> Scale:
    """The range of some numbers; 0 to 0 if none is finite."""
    finite = [float(number) for number in numbers if math.isfinite(number)]
    return Scale(min(finite, default=0.0), max(finite, default=0.0))


def bars(values: Sequence[Value]) -> list[tuple[str, float]]:
    """A name and a number for each rank. If there are many ranks, consecutive ranks
    share a mean."""
    ordered = sorted(values, key=lambda one: one.rank)
    size = -(-len(ordered) // _MOST_ROWS) or 1
    parts = [ordered[first : first + size] for first in range(0, len(ordered), size)]
    return [
        (wording.ranks(one.rank for one in part), _mean([n for v in part for n in v.numbers or ()]))
        for part in parts
    ]


def maps(values: Sequence[Value]) -> list[Map]:
    """The maps of arrays. Arrays of one dimension share one map with a row for each rank."""
    arrays = [one for one in values if one.numbers and one.shape.counts]
    if all(len(one.shape.counts) == 1 for one in arrays):
        found = groups(arrays)[:_MOST_ROWS]
        return [
            Map("", [group.name for group in found], [_row(one.value.numbers) for one in found])
        ]
    return [_map(group.name, group.value) for group in groups(arrays)[:_MOST_MAPS]]


def lines(values: Sequence[Value]) -> Iterator[str]:
    """The plot as text; nothing if the values are not numbers."""
    if are_scalars(values):
        yield from _bar_lines(bars(values))
        return
    drawn = maps(values)
    whole = scale([number for value in values for number in value.numbers or ()])
    for one in drawn if any(one.rows for one in drawn) else ():
        if one.title:
            yield f"{one.title}:"
        width = max(map(len, one.names))
        for name, row in zip(one.names, one.rows):
            yield f"{name:{width}} |{''.join(_shade(number, whole) for number in row)}|"
    if any(one.rows for one in drawn):
        yield f'from "{_SHADES[0]}" to "{_SHADES[-1]}": {whole.text}; "{_ODD}": not finite'


def _bar_lines(found: Sequence[tuple[str, float]]) -> Iterator[str]:
    # Bars begin at 0, or at the minimum if it is negative.
    whole = scale([number for _, number in found])
    low = min(whole.low, 0.0)
    high = max(whole.high, 0.0)
    width = max((len(name) for name, _ in found), default=0)
    for name, number in found:
        part = Scale(low, high).part(number) if math.isfinite(number) else 0.0
        yield f"{name:{width}} |{_bar(part)} {number:.6g}"


def _bar(part: float) -> str:
    whole, rest = divmod(round(part * _BAR * 8), 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _shade(number: float, whole: Scale) -> str:
    if not math.isfinite(number):
        return _ODD
    return _SHADES[min(len(_SHADES) - 1, int(whole.part(number) * len(_SHADES)))]


def _row(numbers: Sequence[Number] | None) -> list[float]:
    return [_mean(part) for part in _parts(numbers or (), _MOST_COLUMNS)]


def _map(title: str, value: Value) -> Map:
    # The rows and columns of an array. Further dimensions add rows.
    numbers, shape = list(value.numbers or ()), value.shape
    columns = shape.counts[0 if shape.fortran else -1]
    rows = [numbers[first : first + columns] for first in range(0, len(numbers), columns)]
    if shape.fortran:  # in Fortran, the first index is the row
        rows = [list(column) for column in zip(*rows)]
    merged: list[list[float]] = []
    names: list[str] = []
    for part in _parts(range(len(rows)), _MOST_ROWS):
        cells = [_row(rows[number]) for number in part]
        merged.append([_mean(column) for column in zip(*cells)])
        low = (shape.lows[0] if len(shape.counts) == 2 else 0) + part[0]
        names.append(str(low) if len(part) == 1 else f"{low} to {low + len(part) - 1}")
    return Map(title, names, merged)


def _parts(items: Sequence[_Item], most: int) -> list[Sequence[_Item]]:
    # Divide the items into at most `most` parts of equal size.
    size = -(-len(items) // most) or 1
    return [items[first : first + size] for first in range(0, len(items), size)]


def _mean(numbers: Sequence[Number]) -> float:
    if not numbers or not all(map(math.isfinite, numbers)):
        return float(numbers[0]) if len(numbers) == 1 else math.nan
    return math.fsum(numbers) / len(numbers)
