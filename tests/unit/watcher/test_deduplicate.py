# SPDX-License-Identifier: MIT
"""The reports on many findings: each place once, and limited numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mpipp.analysis.buffers.overlap import addresses
from mpipp.analysis.findings import formatting
from mpipp.analysis.findings.finding import Finding, Party, with_repeat_count
from mpipp.model import Site
from mpipp.render.one_line import of_members
from mpipp.render.phrases import Phrase
from mpipp.render.structure import Array
from mpipp.watcher.output.finding_blocks import MOST, MOST_AT_A_PLACE
from mpipp.watcher.output.finding_filter import FindingCollection

COMM = Phrase("MPI_Comm")


def where(party: Party) -> list[str]:
    """The source line of a party."""
    return [f"main.c:{party.site.address}"]


def label(*numbers: int) -> str:
    """The label of some ranks."""
    return f"ranks {numbers}"


def told(collected: FindingCollection, found: list[Finding]) -> int:
    """The number of findings that are reported."""
    return len(list(collected.new(found, where, label)))


def leak(line: int, subject: Phrase = COMM, process: int = 0) -> Finding:
    """A finding about a place."""
    party = Party(process, subject, "made at", Site(line))
    return Finding.of("datatype-leak", [party], "one", times=1, noun="datatype")


def test_at_one_place() -> None:
    """After 20 findings at a place, more are only counted. Other places are still reported."""
    collected = FindingCollection()
    names = [chr(ord("a") + number) for number in range(MOST_AT_A_PLACE + 5)]
    found = [leak(7, Phrase(name), process) for process, name in enumerate(names)]
    assert told(collected, found) == MOST_AT_A_PLACE
    assert told(collected, found) == 0  # the same findings again
    assert told(collected, [leak(8)]) == 1
    total = collected.total(1, 9)
    assert (total.warnings, total.unreported) == (MOST_AT_A_PLACE + 1, 5)
    assert total.line() == "21 warnings (5 more not shown) in 1 process (9 MPI calls checked)"


def test_in_one_run() -> None:
    collected = FindingCollection()
    assert told(collected, [leak(line) for line in range(MOST + 3)]) == MOST
    assert (
        collected.total(1, 9).line()
        == "200 warnings (3 more not shown) in 1 process (9 MPI calls checked)"
    )


def overlap(first: tuple[str, int], second: tuple[str, int]) -> Finding:
    """A finding about two calls with overlapping buffers."""
    parties = [Party(0, Phrase(name), "called at", Site(line)) for name, line in (first, second)]
    facts = {"procedure": first[0], "other_procedure": second[0]}
    return Finding.of("written-twice", parties, **facts, bytes=addresses(16, 32))


def test_parties_in_another_order_are_the_same_finding() -> None:
    one, other = ("MPI_Irecv", 6), ("MPI_Recv", 7)
    collected = FindingCollection()
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
    (one,) = formatting.folded(found, where)
    assert (one.processes, one.differ) == ([(0,), (1,)], True)


def test_what_stands_for_more_or_fewer_is_one() -> None:
    """One rank has 2 other leaks at the place, and another rank 5."""
    counts = ((0, 2), (1, 5), (2, 0))
    found = [with_repeat_count(leak(7, COMM, process), count) for process, count in counts]
    assert [one.parties[0].details[0].text for one in found[:2]] == [
        "and 2 others at the same place",
        "and 5 others at the same place",
    ]
    (one,) = formatting.folded(found, where)
    assert one.processes == [(0,), (1,), (2,)]


def tagged(tag: int) -> Phrase:
    """Return the text for a call with this tag, as findings describe it."""
    return Phrase.of("tag = {tag}", tag=tag)


def accessed(element: str, bytes: int) -> Phrase:
    """Return the text for a load, as findings describe it."""
    return Phrase.of("reads {element}, {bytes}", element=element, bytes=bytes)


@pytest.mark.parametrize(
    "subjects",
    [
        (tagged(1), tagged(2)),
        (accessed("buf[506](DOUBLE)", 1), accessed("buf[3](DOUBLE)", 12)),
        (accessed("buf(INT)", 4), accessed("buf[3](INT)", 4)),
        (Phrase.of("{text}", text="counts = {1, 2, 3}"), Phrase.of("{text}", text="counts = {-4}")),
    ],
)
def test_other_numbers_are_one(subjects: tuple[Phrase, Phrase]) -> None:
    found = [leak(7, subject, process) for process, subject in enumerate(subjects)]
    assert [one.processes for one in formatting.folded(found, where)] == [[(0,), (1,)]]


@pytest.mark.parametrize("names", [("MPI_INT8_T", "MPI_INT16_T"), ("reads", "writes")])
def test_what_differs_in_a_word_is_two(names: tuple[str, str]) -> None:
    subjects = [Phrase.of("{text}", text=name) for name in names]
    found = [leak(7, subject, process) for process, subject in enumerate(subjects)]
    assert len(formatting.folded(found, where)) == 2


def test_several_findings_of_a_place_are_folded_with_equal_ones() -> None:
    pairs = [(0, 1), (0, 2), (1, 2), (1, 1), (2, 3)]
    found = formatting.folded([leak(7, tagged(tag), process) for process, tag in pairs], where)
    assert [one.processes for one in found] == [[(0,), (1,), (2,)], [(0,), (1,)]]


def test_consequences_are_not_counted() -> None:
    """A consequence of a reported finding is a remark. Without that finding it is an error."""
    cause = Finding.of("datatype-leak", [], "one", times=1, noun="datatype")
    follows = replace(overlap(("MPI_Irecv", 6), ("MPI_Recv", 7)), follows=cause.what)
    for found, errors, warnings in (([cause, follows], 0, 1), ([follows], 1, 0)):
        collected = FindingCollection()
        assert told(collected, found) == len(found)
        total = collected.total(1, 9)
        assert (total.errors, total.warnings) == (errors, warnings)
