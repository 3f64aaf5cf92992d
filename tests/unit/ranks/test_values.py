# SPDX-License-Identifier: MIT
"""Test the comparison of one expression's values in many ranks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mpipp.common.errors import MpippError
from mpipp.ranks import stored_values, values
from mpipp.ranks.values import Shape, Value

NAN = float("nan")


def said(*given: Value) -> list[str]:
    return list(values.lines(given, "x"))


def scalar(rank: int, number: float) -> Value:
    return Value(rank, str(number), (number,))


def array(rank: int, *numbers: float, shape: Shape | None = None) -> Value:
    text = f"{{{', '.join(map(str, numbers))}}}"
    return Value(rank, text, numbers, shape or Shape((len(numbers),), (0,)))


def test_equal_values_once() -> None:
    assert said(*(scalar(rank, 7) for rank in range(4))) == ["ranks 0 to 3: x = 7"]


def test_numbers() -> None:
    assert said(scalar(2, 1.0), scalar(0, 0.5), scalar(1, 0.5), scalar(3, NAN)) == [
        "ranks 0 and 1: x = 0.5",
        "rank 2: x = 1.0",
        "rank 3: x = nan",
        "min 0.5 (ranks 0 and 1), max 1 (rank 2), mean 0.666666666667",
        "not finite: nan (rank 3)",
    ]


def test_integers_beyond_a_float() -> None:
    assert said(scalar(0, 2**63), scalar(1, 2**63 + 1))[:2] == [
        "rank 0: x = 9223372036854775808",
        "rank 1: x = 9223372036854775809",
    ]


def test_nothing_is_summed_up_of_texts() -> None:
    assert said(Value(0, '"a"'), Value(1, '"b"')) == ['rank 0: x = "a"', 'rank 1: x = "b"']
    assert said(Value(0, "<no x>"), scalar(1, 3)) == ["rank 0: x = <no x>", "rank 1: x = 3"]


def test_many_different_values() -> None:
    lines = said(*(scalar(rank, rank) for rank in range(20)))
    assert lines[11:] == [
        "rank 11: x = 11",
        "ranks 12 to 19: 8 other values",
        "min 0 (rank 0), max 19 (rank 19), mean 9.5",
    ]


def test_differences_of_arrays() -> None:
    same = (1.0, 2.0, 3.0)
    assert said(array(0, *same), array(1, 1.0, 9.0, NAN), array(2, *same)) == [
        "ranks 0 and 2: x = {1.0, 2.0, 3.0}",
        "rank 1: x = {1.0, 9.0, nan}",
        "rank 1 differs from ranks 0 and 2 in 2 of 3 elements: "
        "[1] 9 instead of 2, [2] nan instead of 3",
        "min 1 (ranks 0 and 2, [0]), max 9 (rank 1, [1]), mean 2.75",
        "not finite: nan (rank 1, [2])",
    ]


def test_arrays_of_other_shapes_are_not_compared() -> None:
    assert said(array(0, 1, 2), array(1, 1, 2, 3))[2:] == [
        "min 1 (rank 0, [0]), max 3 (rank 1, [2]), mean 1.8"
    ]


def test_elements_by_language() -> None:
    assert [Shape((2, 3), (0, 0)).element(i) for i in (0, 1, 3, 5)] == [
        "[0][0]",
        "[0][1]",
        "[1][0]",
        "[1][2]",
    ]
    assert [Shape((2, 3), (1, 0), True).element(i) for i in (0, 1, 3, 5)] == [
        "(1,0)",
        "(2,0)",
        "(2,1)",
        "(2,2)",
    ]


def test_stored_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    given = [scalar(0, NAN), array(1, 1.0, float("-inf")), Value(2, '"a"'), scalar(3, 2**63)]
    file.write_text(stored_values.text(given, "x"))
    again = stored_values.read(str(file))
    assert list(map(repr, again)) == list(map(repr, given))
    json.loads(file.read_text(), parse_constant=lambda name: pytest.fail(name))


def test_changes() -> None:
    before = [array(0, 1.0, 2.0), scalar(1, 3), Value(2, '"a"'), scalar(3, NAN), scalar(5, 1)]
    now = [array(0, 1.0, 4.0), scalar(1, 4), Value(2, '"b"'), scalar(3, NAN), scalar(4, 1)]
    assert list(values.change_lines(before, now)) == [
        "rank 0: other values in 1 of 2 elements: [1] 4 instead of 2",
        "rank 1: 4 instead of 3",
        'rank 2: "b" instead of "a"',
        "rank 3: as in the file",
        "rank 4: not in the file",
        "rank 5: only in the file",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"values": 3}',
        '{"values": [{"rank": 0}]}',
        '{"values": [{"rank": 0, "text": "", "numbers": [1], "counts": [2], "lows": [0], '
        '"fortran": false}]}',
    ],
)
def test_what_is_no_file_of_values(content: str, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(content)
    with pytest.raises(MpippError, match=r"is not from mpipp print EXPR --ranks --save"):
        stored_values.read(str(file))
