# SPDX-License-Identifier: MIT
"""Test the merging of stacks: the tree does not depend on the order. Also test its text."""

from __future__ import annotations

import functools
import itertools
import json
from xml.etree import ElementTree

import pytest

from mpipp.common.errors import MpippError
from mpipp.ranks import stack_tree
from mpipp.ranks.stack_tree import ARGUMENTS, MPI, StackTree, Step
from mpipp.ranks.stack_tree_svg import svg

MAIN = Step("halo.c:52 in main", path="/src/halo.c", line=52)
EXCHANGE = Step("halo.c:17 in exchange", path="/src/halo.c", line=17)
RECEIVE, REDUCE = Step("MPI_Recv", MPI), Step("MPI_Allreduce", MPI)


def of(rank: int, *stack: Step) -> StackTree:
    tree = StackTree()
    tree.add(rank, stack)
    return tree


def merged(*trees: StackTree) -> StackTree:
    whole = StackTree()
    for tree in trees:
        whole.merge(tree)
    return whole


def halo() -> list[StackTree]:
    waits = of(3, MAIN, EXCHANGE, RECEIVE, Step("source 2, tag 2", ARGUMENTS))
    return [*(of(rank, MAIN, REDUCE) for rank in range(3)), waits]


def test_text() -> None:
    assert list(stack_tree.lines(merged(*halo()))) == [
        "count  ranks  stack, outermost call first",
        "    4  0-3    halo.c:52 in main",
        "    3  0-2      MPI_Allreduce",
        "    1  3        halo.c:17 in exchange",
        "                MPI_Recv(source 2, tag 2)",
    ]
    assert list(stack_tree.lines(StackTree())) == []


def test_any_order_and_grouping_gives_one_tree() -> None:
    expected = stack_tree.record(merged(*halo()))
    for order in itertools.permutations(halo()):
        left, right = merged(*order[:2]), merged(*order[2:])
        assert stack_tree.record(merged(left, right)) == expected
        assert stack_tree.record(functools.reduce(merged, order)) == expected


def test_merging_leaves_the_other_tree() -> None:
    one, other = merged(*halo()), of(9, MAIN, REDUCE)
    before = stack_tree.record(other)
    one.merge(other)
    one.add(12, [MAIN, REDUCE])
    assert stack_tree.record(other) == before


def test_arguments_of_calls() -> None:
    def receives(ranks: int) -> list[str]:
        tree = merged(
            *(of(r, MAIN, RECEIVE, Step(f"source {r + 1}", ARGUMENTS)) for r in range(ranks))
        )
        tree.add(99, [MAIN, RECEIVE])
        title, *lines = stack_tree.lines(tree)
        return [line[title.index("stack") :] for line in lines]

    assert receives(2) == [
        "halo.c:52 in main",
        "  MPI_Recv(source 1)",
        "  MPI_Recv(source 2)",
        "  MPI_Recv",
    ]
    assert receives(9) == ["halo.c:52 in main", "MPI_Recv (9 different calls)"]


def test_a_rank_may_end_where_others_go_on() -> None:
    tree = merged(of(0, MAIN), of(1, MAIN, EXCHANGE))
    assert [line[7:] for line in stack_tree.lines(tree)][1:] == [
        "0-1    halo.c:52 in main",
        "1        halo.c:17 in exchange",
    ]


def test_sets_of_ranks() -> None:
    def ranks(*numbers: int) -> int:
        return sum(1 << number for number in set(numbers))

    assert stack_tree.runs(ranks(0, 1, 2, 3, 8)) == "0-3,8"
    assert stack_tree.runs(ranks(5)) == "5"
    assert stack_tree.runs(0) == ""
    assert stack_tree.runs(ranks(*range(0, 100, 2)), 12) == "0,2,4,6,..."
    assert list(stack_tree.members(ranks(0, 7, 64, 65))) == [0, 7, 64, 65]
    assert stack_tree.count(ranks(0, 7, 64)) == 3


def test_json_there_and_back() -> None:
    found = stack_tree.record(merged(*halo()))
    again = stack_tree.from_record(json.loads(json.dumps(found)))
    assert stack_tree.record(again) == found


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        {"ranks": "0-3"},
        {"ranks": "3-0", "below": []},
        {"ranks": "x", "below": []},
        {"ranks": "0-99999999999", "below": []},
        {"ranks": "0", "below": [{"text": "f", "kind": "odd", "path": "", "line": 0}]},
        {"ranks": 3, "below": []},
    ],
)
def test_what_is_no_tree(wrong: object) -> None:
    with pytest.raises(MpippError, match="not a stack tree"):
        stack_tree.from_record(wrong)


def test_ten_thousand_ranks() -> None:
    trees = []
    for first in range(0, 10_000, 100):
        node = StackTree()
        for rank in range(first, first + 100):
            callers = [Step(f"deep.c:{number} in f{number}") for number in range(12)]
            node.add(rank, [*callers, RECEIVE, Step(f"source {rank + 1}, tag 0", ARGUMENTS)])
        trees.append(node)
    whole = merged(*trees)
    shown = list(stack_tree.lines(whole))
    assert shown[1] == "10000  0-9999  deep.c:0 in f0"
    assert shown[-1].endswith("MPI_Recv (10000 different calls)")


def test_picture() -> None:
    root = ElementTree.fromstring(svg(merged(*halo())))
    texts = [one.text for one in root.iter() if one.tag.endswith("}text")]
    assert texts == [
        "4 ranks: 0-3",
        "halo.c:52 in main",
        "3 ranks: 0-2",
        "MPI_Allreduce",
        "1 rank: 3",
        "halo.c:17 in exchange",
        "MPI_Recv(source 2, tag 2)",
    ]
    kinds = [one.get("class") for one in root.iter() if one.tag.endswith("}rect")]
    assert kinds == ["back", "program", "mpi", "mpi"]
    ElementTree.fromstring(svg(StackTree()))
