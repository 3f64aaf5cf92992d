# SPDX-License-Identifier: MIT
"""What a watcher tells of many findings: each place once, and not all of very many."""

from __future__ import annotations

import pytest

from mpipp.checks import report
from mpipp.checks.finding import Finding, Party
from mpipp.model import Site
from mpipp.watch.report import MOST, MOST_AT_A_PLACE, Collected


def where(party: Party) -> list[str]:
    """The line that a place stands for."""
    return [f"main.c:{party.site.address}"]


def label(*numbers: int) -> str:
    """Ranks."""
    return f"ranks {numbers}"


def told(collected: Collected, found: list[Finding]) -> int:
    """How many of these are told."""
    return len(list(collected.new(found, where, label)))


def leak(line: int, text: str = "MPI_Comm", process: int = 0) -> Finding:
    """One that is told of a place."""
    party = Party(process, text, "made at", Site(line))
    return Finding.of("datatype-leak", "1 datatype is not freed", [party], call="MPI_Type_free")


def test_at_one_place() -> None:
    """At 20 of a place it ends, and the rest is counted; other places are told."""
    collected = Collected()
    names = [chr(ord("a") + number) for number in range(MOST_AT_A_PLACE + 5)]
    found = [leak(7, name, process) for process, name in enumerate(names)]
    assert told(collected, found) == MOST_AT_A_PLACE
    assert told(collected, found) == 0  # found again
    assert told(collected, [leak(8)]) == 1
    total = collected.total(1, 9)
    assert (total.warnings, total.untold) == (MOST_AT_A_PLACE + 1, 5)
    assert total.line() == "21 warnings (5 more not told) in 1 process, 9 calls"


def test_in_one_run() -> None:
    collected = Collected()
    assert told(collected, [leak(line) for line in range(MOST + 3)]) == MOST
    assert collected.total(1, 9).line() == "200 warnings (3 more not told) in 1 process, 9 calls"


def overlap(first: tuple[str, int], second: tuple[str, int]) -> Finding:
    """Two calls that use one memory."""
    parties = [Party(0, name, "called at", Site(line)) for name, line in (first, second)]
    what = f"{first[0]} and {second[0]} write the same memory, [0x10, 0x20)"
    return Finding.of("written-twice", what, parties)


def test_parties_in_another_order_are_the_same_finding() -> None:
    one, other = ("MPI_Irecv", 6), ("MPI_Recv", 7)
    collected = Collected()
    assert told(collected, [overlap(one, other)]) == 1
    assert told(collected, [overlap(other, one)]) == 0


@pytest.mark.parametrize(
    "texts",
    [
        ("MPI_Comm #4, rank = 0, size = 1", "MPI_Comm #5, rank = 0, size = 1, world_ranks = {1}"),
        ("rank = 0, remote_world_ranks = {2, 3}", "rank = 0, remote_world_ranks = {0, 1}"),
        ("MPI_Barrier, in thread 17", "MPI_Barrier, in thread 23"),
        ("and 2 others at the same place", "and 5 others at the same place"),
        ("made\nand 1 other at the same place", "made\n"),
        ("reads buf[506](DOUBLE), 1 byte", "reads buf[3](DOUBLE), 12 bytes"),
        ("writes buf(INT)", "writes buf[3](INT)"),
        ("known by rank 0", "known by ranks 1, 3 to 5 and 8"),
        ("counts = {1, 2, 3}", "counts = {-4}"),
    ],
)
def test_what_differs_by_rank_alone_is_one(texts: tuple[str, str]) -> None:
    found = [leak(7, text, process) for process, text in enumerate(texts)]
    (one,) = report.folded(found, where)
    assert one.processes == [(0,), (1,)]


@pytest.mark.parametrize("texts", [("MPI_INT8_T", "MPI_INT16_T"), ("reads", "writes")])
def test_what_differs_in_a_word_is_two(texts: tuple[str, str]) -> None:
    found = [leak(7, text, process) for process, text in enumerate(texts)]
    assert len(report.folded(found, where)) == 2


def test_several_findings_of_a_place_are_folded_with_equal_ones() -> None:
    pairs = [(0, "tag = 1"), (0, "tag = 2"), (1, "tag = 2"), (1, "tag = 1"), (2, "tag = 3")]
    found = report.folded([leak(7, text, process) for process, text in pairs], where)
    assert [one.processes for one in found] == [[(0,), (1,), (2,)], [(0,), (1,)]]
