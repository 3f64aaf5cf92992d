# SPDX-License-Identifier: MIT
"""The reports of the watchers of several nodes, merged."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from mpipp.analysis.findings.finding import Finding, Party
from mpipp.common.run_directory import NODES, RunDirectory
from mpipp.common.text import wording
from mpipp.model import Site
from mpipp.render.phrases import Phrase
from mpipp.reports.suppressions import Suppression
from mpipp.symbolizer.source_frames import Frame
from mpipp.watcher.nodes import merge_results
from mpipp.watcher.output import node_results
from mpipp.watcher.output.finding_blocks import (
    MOST,
    MOST_AT_A_PLACE,
    Block,
    is_to_be_printed,
    merged,
    records,
    too,
)
from mpipp.watcher.output.finding_filter import FindingCollection
from mpipp.watcher.output.totals import NOTHING, Total
from mpipp.watcher.settings import Settings


def label(*numbers: int) -> str:
    """The label of some ranks."""
    return wording.ranks(numbers)


def where(party: Party) -> list[str]:
    """The source line of a party."""
    return [f"main.c:{party.site.address}"]


def sends(
    rank: int, line: int = 1, count: int = 4, times: int = 1, unit: str = "bytes"
) -> list[Finding]:
    """Sends to the next rank, with `count` elements, `times` times at one place."""
    call = Phrase.of("MPI_Send(dest = {rank})", rank=rank + 1)
    sender = Party(rank, call, "called at", Site(line))
    details = (Phrase.of("{bytes}", bytes=count),)
    if unit not in ("byte", "bytes"):
        details = (Phrase.of("{count} {noun}", count=count, noun=unit),)
    receiver = Party(rank + 1, Phrase("MPI_Recv"), "called at", Site(9), None, details)
    found = Finding.of("datatype-leak", [sender], "one", times=1, noun="datatype")
    return [replace(found, parties=(sender, receiver))] * times


def told(*found: Finding, world: str = "0-12") -> tuple[list[Block], Total]:
    """Write the findings of a node into the run's directory. Returns its blocks and total."""
    collected = FindingCollection()
    new = collected.new(found, where, label, world=lambda number: world, rank=lambda number: number)
    blocks = [Block(text, of) for text, of in new]
    return [one[:3] for one in json.loads(json.dumps(blocks))], collected.total(2, 10)


def of_nodes(*of: tuple[list[Any], Total]) -> tuple[list[Block], Total]:
    total = NOTHING
    for _, one in of:
        total = total.plus(one)
    return merged([Block(*one) for blocks, _ in of for one in blocks], total)


def test_findings_of_two_nodes_are_one() -> None:
    others = told(*sends(4, count=1, unit="byte")), told(*sends(8))
    blocks, total = of_nodes(told(*sends(0), *sends(2, line=3)), *others)
    assert [one.text.splitlines()[:7] for one in blocks] == [
        [
            "warning: 1 datatype is not freed",
            "  ranks 0, 4 and 8: MPI_Send(dest = 1)",
            "    called at main.c:1",
            "  ranks 1, 5 and 9: MPI_Recv",
            "    called at main.c:9",
            "    4 bytes",
            "  shown as in ranks 0 and 1",
        ],
        [
            "warning: 1 datatype is not freed",
            "  rank 2: MPI_Send(dest = 3)",
            "    called at main.c:3",
            "  rank 3: MPI_Recv",
            "    called at main.c:9",
            "    4 bytes",
            blocks[1].text.splitlines()[6],
        ],
    ]
    assert total.line() == "2 warnings in 6 processes (30 MPI calls checked)"
    first, second = records(blocks)
    assert [party["process"] for party in first["parties"]] == [
        "ranks 0, 4 and 8",
        "ranks 1, 5 and 9",
    ]
    assert (first["text"], second["text"]) == (blocks[0].text, blocks[1].text)
    assert "alike" not in first


def test_findings_that_differ_stay_two() -> None:
    others = told(*sends(4, unit="entries")), told(*sends(0)), told(*sends(8), world="5-12")
    blocks, total = of_nodes(told(*sends(0)), *others)
    # Findings of the same ranks are not merged, nor those of another MPI_COMM_WORLD.
    assert len(blocks) == 4 and total.warnings == 4


def test_a_line_behind_and_what_is_not_printed(tmp_path: Path) -> None:
    """On nodes that share a terminal, a finding is printed once if it differs only by rank."""
    (first,), total = told(*sends(0))
    (second,), _ = told(*sends(4))
    remark = Block("still moving", [])
    stops = Block(f"{first[0]}\n  rank 0 is there", first[1])
    both = [stops, remark, Block(second[0], second[1], False)]
    blocks, _ = merged(both, total.plus(total))
    assert blocks[0].text.splitlines()[-1] == "  rank 0 is there"
    assert [one.printed for one in blocks] == [True, True]
    assert too(blocks[0]) == "also in ranks 4 and 5: 1 datatype is not freed (main.c:1)"
    assert blocks[1] == remark
    for late in (False, True), (True, False), (False, False):
        both = [Block(*one, printed) for one, printed in zip((first[:2], second[:2]), late)]
        ((_, _, printed, others),), _ = merged(both, total.plus(total))
        assert printed == any(late) and others == ([4, 5] if late[0] else [0, 1]) * printed
    directory = str(tmp_path)
    for _ in range(2):  # this node prints each time, because no other node is known
        assert is_to_be_printed(directory, *first[:2])
    RunDirectory(directory).publish(f"{NODES}/one-1.json", b"")
    RunDirectory(directory).remove(f"{NODES}/one-1.json")
    texts = [first[0], second[0], stops.text]
    assert [is_to_be_printed(directory, one, first[1]) for one in texts] == [True, True, True]
    assert not is_to_be_printed(directory, *first[:2])
    assert node_results.nodes(directory) == ([], [])


def test_no_more_than_of_one_node() -> None:
    many = [
        told(*(one for line in range(MOST // 4) for one in sends(0, line, size)))
        for size in range(5)
    ]
    blocks, total = of_nodes(*many)
    assert len(blocks) == MOST
    assert (total.warnings, total.unreported) == (MOST, 5 * (MOST // 4) - MOST)
    words = [chr(ord("a") + number) for number in range(MOST_AT_A_PLACE + 3)]
    at_one = [told(*(replace(one, what=Phrase(word)) for one in sends(0))) for word in words]
    blocks, total = of_nodes(*at_one)
    assert [one.text.splitlines()[0][-1] for one in blocks] == words[:MOST_AT_A_PLACE]
    assert (total.warnings, total.unreported) == (MOST_AT_A_PLACE, 3)


DAMAGE = [
    ('[["issue 7", ', "[["),
    ('"severity": "error"', '"severity": 5'),
    ('"ranks": [[0, 1]]', '"ranks": [[0]]'),
    ('"ranks": [[0, 1]]', '"ranks": [["0", 1]]'),
    ('"text": "MPI_Recv"', '"text": [5]'),
    ('"follows": ', '"goes": '),
    ('["error: b", ', "[5, "),
]


def test_what_nodes_leave(tmp_path: Path) -> None:
    """The files contain the suppressions, because the comparing process may not have the user's
    file."""
    known = Suppression("issue 7", "type-mismatch", "", "wrong.c", "")
    (first,), _ = told(*sends(0))
    blocks = [Block(*first), Block("error: b", [{"severity": "error"}], False)]
    left = node_results.Node("one", True, NOTHING, blocks, ("rma",), [known])
    node_results.save(str(tmp_path), left)
    (found,), failed = node_results.nodes(str(tmp_path))
    assert failed == []
    assert found == left._replace(checks=["rma"])
    frame = Frame("", "/src/wrong.c")
    names = "type-mismatch", "message-types"
    assert merge_results.suppressed(Settings(), [found, found]).reason(names, [frame]) == "issue 7"
    gathered = merge_results.gather(str(tmp_path), (), Settings(report=str(tmp_path)), late=0)
    assert gathered.blocks == blocks
    (path,) = (tmp_path / NODES).iterdir()
    text = path.read_text()
    for old, new in DAMAGE:
        assert old in text
        path.write_text(text.replace(old, new))
        assert node_results.nodes(str(tmp_path)) == (
            [],
            [f"{path} is damaged, or was written by another version of mpipp"],
        )


def test_who_has_not_ended_has_not_counted(tmp_path: Path) -> None:
    """The findings of a watcher that was killed or has failed still count."""
    (one,), total = told(*sends(0))
    (other,), _ = told(*sends(4))
    for name, ended, of, block in (("a", True, total, one), ("b", False, NOTHING, other)):
        node_results.save(str(tmp_path), node_results.Node(name, ended, of, [Block(*block)]))
        os.rename(next((tmp_path / NODES).glob(f"{name}-*")), tmp_path / NODES / f"{name}.json")
    found = merge_results.gather(str(tmp_path), (), Settings(report=str(tmp_path)), late=0)
    assert (len(found.blocks), found.total.warnings) == (2, 2)
    blocks, total = merged(found.blocks, found.total)
    assert (len(blocks), total.warnings) == (1, 1)
