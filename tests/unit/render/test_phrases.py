# SPDX-License-Identifier: MIT
"""Sentences as data: their text, the common part of two, and their facts."""

from __future__ import annotations

from string import Formatter

import pytest

from mpipp.analysis.rules import RULES, TABLES, template
from mpipp.render.phrases import Phrase, Varies, type_of


def send(rank: int, tag: int, address: int) -> Phrase:
    """Return the phrase of a send call."""
    arguments = (
        Phrase.of("{argument} = {rank}", argument="dest", rank=rank),
        Phrase.of("{argument} = {tag}", argument="tag", tag=tag),
        Phrase.of("{argument} = {address}", argument="buf", address=address),
    )
    return Phrase.of("{procedure}({arguments})", procedure="MPI_Send", arguments=arguments)


def test_text() -> None:
    assert send(1, 5, 0x10).text == "MPI_Send(dest = 1, tag = 5, buf = 0x10)"
    assert Phrase.of("{ranks} wait", ranks=(0, 1, 2, 5)).text == "ranks 0 to 2 and 5 wait"
    assert Phrase.of("after {elements}", elements=1).text == "after 1 element"
    braces = Phrase.of("{text} of {{{value}}}", text="{0}", value=7)
    assert braces.text == "{0} of {7}"  # text from a program is not a template


@pytest.mark.parametrize(
    ("varies", "equal"),
    [
        (Varies.CALLS, [(1, 5, 0x20)]),
        (Varies.RANKS, [(1, 5, 0x20), (2, 5, 0x20)]),
        (Varies.LOOKS, [(1, 5, 0x20), (2, 5, 0x20), (1, 6, 0x10)]),
    ],
)
def test_what_is_compared(varies: Varies, equal: list[tuple[int, int, int]]) -> None:
    others = [(1, 5, 0x20), (2, 5, 0x20), (1, 6, 0x10)]
    key = send(1, 5, 0x10).key(varies)
    assert [other for other in others if send(*other).key(varies) == key] == equal


def test_what_only_some_ranks_have_is_left_out() -> None:
    """An example is the root's own buffer in a collective call."""
    own = Phrase("recvbuf = NULL", varies=Varies.RANKS)
    both = [Phrase.of("MPI_Gather({arguments})", arguments=of) for of in ((own,), ())]
    assert both[0].key(Varies.RANKS) == both[1].key(Varies.RANKS)
    assert both[0].key(Varies.CALLS) != both[1].key(Varies.CALLS)


def test_json() -> None:
    assert send(1, 5, 0x10).json() == [
        {"name": "procedure", "type": "procedure", "value": "MPI_Send"},
        {"name": "argument", "type": "argument", "value": "dest"},
        {"name": "rank", "type": "rank", "value": 1},
        {"name": "argument", "type": "argument", "value": "tag"},
        {"name": "tag", "type": "tag", "value": 5},
        {"name": "argument", "type": "argument", "value": "buf"},
        {"name": "address", "type": "address", "value": 16},
    ]


def test_a_fact_needs_a_type() -> None:
    assert type_of("other_rank").name == "rank"
    with pytest.raises(KeyError):
        Phrase.of("{colour}", colour="red")


CASES = [
    (rule, case)
    for table in TABLES
    for rule, what in table.WHAT.items()
    for case in ([""] if isinstance(what, str) else what)
]


def test_every_rule_has_its_sentences() -> None:
    assert {rule for rule, _ in CASES} >= set(RULES)


@pytest.mark.parametrize(("rule", "case"), CASES)
def test_sentences_end_without_a_full_stop(rule: str, case: str) -> None:
    words = template(rule, case)
    assert words and not words.endswith(".")
    assert all(name != "" for _, name, _, _ in Formatter().parse(words))
