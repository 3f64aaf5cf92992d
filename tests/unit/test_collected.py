# SPDX-License-Identifier: MIT
"""What a watcher tells of many findings: each place once, and not all of very many."""

from __future__ import annotations

import pytest

from mpipp.checks import report
from mpipp.checks.finding import Finding, Party, with_others
from mpipp.checks.overlaps import addresses
from mpipp.model import Site
from mpipp.show.oneline import of_members
from mpipp.show.phrases import Phrase
from mpipp.show.structure import Array
from mpipp.watch.report import MOST, MOST_AT_A_PLACE, Collected

COMM = Phrase("MPI_Comm")


def where(party: Party) -> list[str]:
    """The line that a place stands for."""
    return [f"main.c:{party.site.address}"]


def label(*numbers: int) -> str:
    """Ranks."""
    return f"ranks {numbers}"


def told(collected: Collected, found: list[Finding]) -> int:
    """How many of these are told."""
    return len(list(collected.new(found, where, label)))


def leak(line: int, subject: Phrase = COMM, process: int = 0) -> Finding:
    """One that is told of a place."""
    party = Party(process, subject, "made at", Site(line))
    return Finding.of("datatype-leak", [party], "one", times=1, noun="datatype")


def test_at_one_place() -> None:
    """At 20 of a place it ends, and the rest is counted; other places are told."""
    collected = Collected()
    names = [chr(ord("a") + number) for number in range(MOST_AT_A_PLACE + 5)]
    found = [leak(7, Phrase(name), process) for process, name in enumerate(names)]
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
    parties = [Party(0, Phrase(name), "called at", Site(line)) for name, line in (first, second)]
    facts = {"procedure": first[0], "other_procedure": second[0]}
    return Finding.of("written-twice", parties, **facts, bytes=addresses(16, 32))


def test_parties_in_another_order_are_the_same_finding() -> None:
    one, other = ("MPI_Irecv", 6), ("MPI_Recv", 7)
    collected = Collected()
    assert told(collected, [overlap(one, other)]) == 1
    assert told(collected, [overlap(other, one)]) == 0


def comm(serial: int, rank: int, *world: int) -> Phrase:
    """A communicator, as a party."""
    members = [("rank", rank), ("size", 2), *([("world_ranks", Array(world))] if world else [])]
    return Phrase.of("MPI_Comm {serial}, {members}", serial=serial, members=of_members(members))


def in_thread(thread: int) -> Phrase:
    """A call, as a party."""
    return Phrase.of("MPI_Barrier, in thread {thread}", thread=thread)


@pytest.mark.parametrize(
    "subjects",
    [
        (comm(4, 0), comm(5, 1, 1, 3)),
        (comm(4, 0, 2, 3), comm(4, 0, 0, 1)),
        (in_thread(17), in_thread(23)),
    ],
)
def test_what_differs_by_rank_alone_is_one(subjects: tuple[Phrase, Phrase]) -> None:
    found = [leak(7, subject, process) for process, subject in enumerate(subjects)]
    (one,) = report.folded(found, where)
    assert (one.processes, one.differ) == ([(0,), (1,)], True)


def test_what_stands_for_more_or_fewer_is_one() -> None:
    """Ranks of which one has left 2 others at the place, and one 5."""
    found = [with_others(leak(7, COMM, process), count) for process, count in ((0, 2), (1, 5))]
    assert [one.parties[0].details[0].text for one in found] == [
        "and 2 others at the same place",
        "and 5 others at the same place",
    ]
    (one,) = report.folded(found, where)
    assert one.processes == [(0,), (1,)]


def test_other_tags_are_two() -> None:
    found = [leak(7, Phrase.of("tag = {tag}", tag=rank), rank) for rank in range(2)]
    assert len(report.folded(found, where)) == 2
