# SPDX-License-Identifier: MIT
"""Sets of ranks as users write them."""

from __future__ import annotations

import pytest

from mpipp.common.errors import MpippError
from mpipp.ranks import rank_set


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("all", [0, 1, 2, 3, 7]),
        ("0", [0]),
        ("0,2-3", [0, 2, 3]),
        ("3,1-2,2", [1, 2, 3]),
        ("7", [7]),
    ],
)
def test_a_set_is_parsed(text: str, ranks: list[int]) -> None:
    assert rank_set.parse(text, [7, 0, 1, 2, 3]) == ranks


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("4", "there is no rank 4: there are ranks 0 to 3 and 7"),
        ("2-999999999", "there is no rank 4: there are ranks 0 to 3 and 7"),
        ("3-1", "3-1 is not a range of ranks: write 1-3"),
        ("", 'nothing is not a set of ranks: write "all" or "0,2-3"'),
        ("0,", '0, is not a set of ranks: write "all" or "0,2-3"'),
        ("-1", '-1 is not a set of ranks: write "all" or "0,2-3"'),
        ("zero", 'zero is not a set of ranks: write "all" or "0,2-3"'),
    ],
)
def test_a_wrong_set_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MpippError) as error:
        rank_set.parse(text, [0, 1, 2, 3, 7])
    assert str(error.value) == sentence


def test_a_single_rank_that_exists_is_named() -> None:
    with pytest.raises(MpippError, match=r"^there is no rank 1: there is rank 0$"):
        rank_set.parse("1", [0])
    with pytest.raises(MpippError, match=r"^there is no rank 1: there are no ranks$"):
        rank_set.parse("1", [])


def test_ranks_are_written_as_they_are_parsed() -> None:
    assert rank_set.compact([5, 0, 2, 3, 2]) == "0,2-3,5"
    assert rank_set.compact([]) == ""
