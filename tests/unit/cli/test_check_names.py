# SPDX-License-Identifier: MIT
"""The selectable checks are exactly those in docs/reference/checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mpipp.analysis.rules import RULES
from mpipp.analysis.rules.selection import GROUPS, calls, has_group, is_reported, merged, words
from mpipp.cli.commands.exec import spelled
from mpipp.common.errors import MpippError

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "checks" / "index.md"


def test_groups_are_those_of_the_page() -> None:
    """Each group has rows in the first table of the page, in the same order and words."""
    rows = re.findall(r"^\| (`.*`) \| .* \| `([\w-]+)` \| \[", PAGE.read_text(), re.MULTILINE)
    of_page: dict[str, tuple[str, ...]] = {}
    for row, name in rows:
        of_page[name] = (*of_page.get(name, ()), *re.findall("`(.*?)`", row))
    assert of_page == GROUPS
    assert list(of_page) == list(GROUPS)
    assert {word for group in GROUPS.values() for word in group} == {
        rule.check for rule in RULES.values()
    }


def test_words() -> None:
    ends = GROUPS["ends"]  # the user cannot exclude these checks
    assert words("threads,argument") == {*GROUPS["threads"], "argument", *ends}
    of_calls = {"outside-window", "target-mismatch", "uncommitted-datatype", "aliased-buffers"}
    assert words("rma") == {"rma-conflict", "rma-epoch", "deadlock", "lone-wait", *of_calls, *ends}
    by_default = [group for group in GROUPS if group not in ("portability", "races")]
    assert words("") == words("all") == words(",".join(by_default)) == merged([])
    assert words("all,portability") == words("") | {*GROUPS["portability"]}
    assert words("all,races") == words("") | {*GROUPS["races"]}
    assert merged([["argument"], ["lifetime"]]) == {"argument", "lifetime"}
    assert merged([["argument"], []]) == words("")
    assert not has_group(words("windows,datatypes"), "rma")


def test_what_two_checks_find_is_told_by_one() -> None:
    rule = RULES["rma-some-fences"]
    assert is_reported(rule, words("rma"))
    assert not is_reported(rule, words("all,rma"))
    assert not is_reported(rule, words("leaks"))


def test_what_may_be_an_error_is_told_where_it_is_named() -> None:
    rule = RULES["rma-possible"]
    assert not is_reported(rule, words("all,rma"))
    assert words("rma,rma-possible") == words("rma") | {"rma-possible"}
    assert words("all,rma-possible") == words("") | {"rma-possible"}
    assert has_group(words("rma-possible"), "rma")


def test_which_calls_are_looked_at() -> None:
    assert calls("") == calls("all") == calls("leaks,requests") == calls("rma,datatypes") == "all"
    assert calls("rma") == calls("leaks,rma") == "windows"
    assert calls("leaks,threads") == calls("rma-conflict") == calls("rma-possible") == "none"


def test_a_wrong_name() -> None:
    with pytest.raises(MpippError) as error:
        words("messages,leak")
    names = ", ".join(GROUPS)
    assert str(error.value) == (
        f'there is no check "leak": write a group ({names}, all or fast) '
        "or a word of docs/reference/checks"
    )


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("--check ./app", "--check=all ./app"),
        ("-n 4 --strict --check -- ./app --check", "-n 4 --strict --check=all -- ./app --check"),
        ("--report dir --gdb=all --check ./app", "--report dir --gdb=all --check=all ./app"),
        ("--check=leaks ./app --check x", "--check=leaks ./app --check x"),
        ("./app --check", "./app --check"),
    ],
)
def test_check_takes_no_word_of_the_programs(typed: str, found: str) -> None:
    assert " ".join(spelled(typed.split())) == found
