# SPDX-License-Identifier: MIT
"""Test the plots of values in many ranks."""

from __future__ import annotations

from xml.etree import ElementTree

from mpipp.ranks import value_plot
from mpipp.ranks.value_plot_svg import svg
from mpipp.ranks.values import Shape, Value

NAN = float("nan")


def scalars(*numbers: float) -> list[Value]:
    return [Value(rank, str(number), (number,)) for rank, number in enumerate(numbers)]


def row(rank: int, *numbers: float) -> Value:
    return Value(rank, str(numbers), numbers, Shape((len(numbers),), (0,)))


def test_bars_begin_at_zero() -> None:
    assert list(value_plot.lines(scalars(4, 2, NAN))) == [
        f"rank 0 |{'█' * 40} 4",
        f"rank 1 |{'█' * 20} 2",
        "rank 2 | nan",
    ]
    assert next(iter(value_plot.lines(scalars(-1, 1)))) == "rank 0 | -1"
    assert next(iter(value_plot.lines(scalars(0, 0)))) == "rank 0 | 0"


def test_many_ranks_share_bars() -> None:
    lines = list(value_plot.lines(scalars(*range(128))))
    assert len(lines) == 64
    assert lines[0].startswith("ranks 0 and 1     |") and lines[0].endswith(" 0.5")


def test_rows_of_arrays() -> None:
    assert list(value_plot.lines([row(0, 0, 1, 2), row(1, 0, 1, 2), row(2, 0, NAN, 4)])) == [
        "ranks 0 and 1 | ░▒|",
        "rank 2        | !█|",
        'from " " to "█": 0 to 4; "!": not finite',
    ]


def test_a_long_row_is_shortened() -> None:
    line = next(value_plot.lines([row(0, *range(1000))]))
    assert len(line) == len("rank 0 ||") + 63


def test_maps_follow_the_language() -> None:
    # The same array of 2 rows and 3 columns, in C and Fortran order.
    in_c = Value(0, "", (0, 1, 2, 3, 4, 5), Shape((2, 3), (0, 0)))
    in_fortran = Value(0, "", (0, 3, 1, 4, 2, 5), Shape((2, 3), (1, 1), True))
    assert value_plot.maps([in_c])[0] == ("rank 0", ["0", "1"], [[0, 1, 2], [3, 4, 5]])
    assert value_plot.maps([in_fortran])[0] == ("rank 0", ["1", "2"], [[0, 1, 2], [3, 4, 5]])


def test_pictures_are_sound() -> None:
    square = Value(0, "", (0.5, NAN, 2, 3), Shape((2, 2), (0, 0)))
    for values in (scalars(1, 2, NAN), scalars(-3, 5), [row(0, 1, 2), row(1, 1, NAN)], [square]):
        root = ElementTree.fromstring(svg(values, 'a["<"] & b'))
        assert root.attrib["aria-label"] == 'a["<"] & b in all ranks'
        odd = [one for one in root.iter() if one.get("class") == "odd"]
        assert len(odd) == sum(n != n for one in values for n in one.numbers or ())
