# SPDX-License-Identifier: MIT
"""Test that equal states of ranks share a line."""

from __future__ import annotations

from mpipp.ranks import states
from mpipp.ranks.stack_tree import ARGUMENTS, LIBRARY, MPI, STATE, StackTree, Step

MAIN, EXCHANGE = Step("halo.c:52 in main"), Step("halo.c:17 in exchange")


def tree(*stacks: list[Step]) -> StackTree:
    """A tree of stacks. The position of a stack is its rank."""
    found = StackTree()
    for rank, stack in enumerate(stacks):
        found.add(rank, stack)
    return found


def said(found: StackTree, since: dict[int, float] | None = None) -> list[str]:
    return list(states.lines(states.states(found), since or {}))


def test_each_state() -> None:
    receive = [MAIN, EXCHANGE, Step("MPI_Recv", MPI), Step("source 2, tag 2", ARGUMENTS)]
    found = tree(
        [MAIN, Step("MPI_Barrier", MPI)],
        receive,
        [MAIN, EXCHANGE],
        [MAIN, Step("pause in libc.so.6", LIBRARY)],
        [MAIN, EXCHANGE, Step("stopped by SIGSEGV", STATE)],
        [Step("MPI_Finalize", MPI)],
        receive,
        [Step("running", STATE)],
        [EXCHANGE, Step("MPI_Barrier", MPI), Step("running", STATE)],
    )
    assert said(found, {0: 3.4, 1: 12.2, 2: 5, 6: 70.6}) == [
        "count  ranks  state",
        "    1  0      in MPI_Barrier, called at halo.c:52 in main, for 3 s",
        "    2  1,6    in MPI_Recv(source 2, tag 2), called at halo.c:17 in exchange, for 71 s",
        "    1  2      computing at halo.c:17 in exchange",
        "    1  3      in pause in libc.so.6, called at halo.c:52 in main",
        "    1  4      stopped by SIGSEGV, computing at halo.c:17 in exchange",
        "    1  5      in MPI_Finalize",
        "    1  7      running",
        "    1  8      running, in MPI_Barrier, called at halo.c:17 in exchange",
    ]


def test_callers_do_not_count() -> None:
    found = tree([MAIN, EXCHANGE], [Step("halo.c:60 in main"), EXCHANGE])
    assert said(found)[1:] == ["    2  0-1    computing at halo.c:17 in exchange"]


def test_many_peers_are_one_line() -> None:
    receives = [
        [MAIN, Step("MPI_Recv", MPI), Step(f"source {rank + 1}", ARGUMENTS)] for rank in range(9)
    ]
    assert said(tree(*receives))[1:] == [
        "    9  0-8    in MPI_Recv (9 different calls), called at halo.c:52 in main"
    ]


def test_a_rank_with_two_threads_is_in_both_lines() -> None:
    found = tree([MAIN, Step("MPI_Barrier", MPI)])
    found.add(0, [EXCHANGE])
    assert [line[:11] for line in said(found)[1:]] == ["    1  0   "] * 2
