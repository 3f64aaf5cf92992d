# SPDX-License-Identifier: MIT
"""The order of calls of many processes on several communicators: sums select the processes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from mpipp.analysis.collectives import comm_order as call_order
from mpipp.analysis.context.world import World
from mpipp.common.run_directory import PROCESSES, RunDirectory
from mpipp.common.run_directory import paths as paths_in
from mpipp.distributed import compare, select_channels
from mpipp.distributed.fingerprints import comm_order as order_fingerprints
from mpipp.distributed.fingerprints.arithmetic import added
from mpipp.distributed.process_file import writer
from mpipp.model import Call
from tests.short import some
from tests.support import MPI, on_mpi
from tests.unit import node_reports
from tests.unit.distributed import test_select_channels
from tests.unit.distributed.several_comms import Comms, Several
from tests.unit.jobs import WORLD
from tests.unit.ledgers import Ended, call, processes

SIZE = 90
DUP, ROW, LEADERS = 7, 8, 9  # identities
BCAST, IBCAST = call("MPI_Bcast", root=0), call("MPI_Ibcast", root=0, line=2)
ELSEWHERE = call("MPI_Bcast", root=0, line=3)
CROSSED = """\
the order of collective calls differs between communicator "MPI_COMM_WORLD" and communicator "c7", \
which is a deadlock if they synchronize"""


def on(*comms: int, of: Call = BCAST) -> list[tuple[int, Call]]:
    return [(one, of) for one in comms]


def left(directory: Path, ended: Sequence[Ended], per_node: int = SIZE) -> list[str]:
    """The paths of the files that processes leave."""
    for one in ended:
        node = f"node{one.rank // per_node}"
        content = writer.written(one.process(), test_select_channels.frames, node).process
        RunDirectory(str(directory)).publish(f"{PROCESSES}/{one.rank}", content)
    return paths_in(str(directory / PROCESSES))


def ranks(paths: Sequence[str]) -> list[int]:
    return sorted(int(Path(path).name) for path in paths)


def test_one_process_of_many(tmp_path: Path) -> None:
    # All processes run a loop of a million calls. In one process two calls are swapped.
    comms = {DUP: range(SIZE)}
    right, wrong = on(*(WORLD, DUP) * 50), on(*(WORLD, DUP) * 30, DUP, WORLD, *(WORLD, DUP) * 19)
    ended = [Several(rank, SIZE).does(comms, right) for rank in range(SIZE)]
    ended[41] = Several(41, SIZE).does(comms, wrong)
    paths = left(tmp_path, ended)
    found = select_channels.select(paths, select_channels.SingleProcess())
    assert (found.portions, [ranks(some) for some in found.orders]) == ([], [[0, 41]])
    compared = compare.compare(str(tmp_path), told=[])
    assert [(one.rule.id, one.what.text) for one in compared.findings] == [("comm-order", CROSSED)]
    labels = [compared.view.label(party.process) for party in compared.findings[0].parties]
    assert (labels, compared.unchecked) == (["rank 0", "rank 41"], [])
    parties = compared.findings[0].parties
    details = [tuple(map(str, party.details)) for party in parties]
    assert details == [
        (
            'collective call number 31 on communicator "MPI_COMM_WORLD", before number 31 on '
            'communicator "c7"',
        ),
        (
            'collective call number 31 on communicator "c7", before number 31 on communicator '
            '"MPI_COMM_WORLD"',
        ),
    ]


@on_mpi("mpich4", "openmpi4")
def test_several_processes_share_the_work(mpi: MPI, tmp_path: Path) -> None:
    comms = {DUP: range(SIZE), ROW: range(40, 50)}
    calls = on(*(WORLD, DUP) * 9, ROW)
    ended = [Several(rank, SIZE).does(comms, calls + on(WORLD, DUP)) for rank in range(SIZE)]
    ended[40] = Several(40, SIZE).does(comms, calls + on(DUP, WORLD))
    left(tmp_path, ended, per_node=10)
    done = test_select_channels.by_two(mpi, tmp_path)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("error", "  rank"))]
    assert lines == [
        f"error: {CROSSED}",
        '  rank 40: MPI_Bcast(root = 0, comm = "c7")',
        '  rank 41: MPI_Bcast(root = 0, comm = "MPI_COMM_WORLD")',
    ], done.stderr
    assert done.stdout.splitlines()[-1] == "mpipp: 1 error in 0 processes (0 MPI calls checked)"


def test_what_a_watcher_has_told_is_not_told_again(tmp_path: Path) -> None:
    comms = {DUP: range(SIZE)}
    calls = [
        on(*(WORLD, DUP) * 9),
        on(*(WORLD, DUP) * 8, DUP, WORLD),
        on(*(WORLD, DUP) * 7) + on(DUP, WORLD, of=ELSEWHERE) + on(WORLD, DUP),
    ]
    ended = [Several(rank, SIZE).does(comms, calls[0] + on(WORLD)) for rank in range(SIZE)]
    for rank, number in (41, 1), (47, 1), (72, 2):
        ended[rank] = Several(rank, SIZE).does(comms, calls[number] + on(WORLD))
    found = select_channels.select(
        left(tmp_path, ended, per_node=10), select_channels.SingleProcess()
    )
    assert [ranks(some) for some in found.orders] == [[40, 41, 70, 72]]
    for nodes, labels in (
        ([], [["rank 40", "rank 72"], ["rank 40", "rank 41"]]),
        (["node4"], [["rank 40", "rank 72"]]),
        (["node4", "node7"], []),
    ):
        compared = compare.compare(str(tmp_path), node_reports.of_nodes(tmp_path, *nodes))
        found_of = [[compared.view.label(p.process) for p in f.parties] for f in compared.findings]
        assert found_of == labels


def test_what_was_told_of_others_that_differ_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rank 47 differs from its node, and from ranks 7 and 17, with which it shares more
    # communicators.
    monkeypatch.setattr(select_channels, "MOST_ORDERS", 2)
    comms = {DUP: range(SIZE), ROW: (7, 17, 47)}
    calls = on(*(WORLD, DUP) * 9, ROW)
    ended = [Several(rank, SIZE).does(comms, calls + on(WORLD, DUP)) for rank in range(SIZE)]
    ended[47] = Several(47, SIZE).does(comms, calls + on(DUP, WORLD))
    found = select_channels.select(
        left(tmp_path, ended, per_node=10), select_channels.SingleProcess()
    )
    assert [ranks(some) for some in found.orders] == [[7, 47], [40, 47]]
    assert [one.what.text for one in compare.compare(str(tmp_path), []).findings] == [CROSSED]
    assert compare.compare(str(tmp_path), node_reports.of_nodes(tmp_path, "node4")).findings == []


def groups(rank: int) -> Comms:
    """Communicators of rows of ten, of their leaders, and of each process alone."""
    row = rank // 10 * 10
    members: dict[int, Sequence[int]] = {100 + row: range(row, row + 10), 300 + rank: (rank,)}
    return {**members, LEADERS: range(0, SIZE, 10)}


def with_groups(rank: int, *also: int) -> Several:
    row, itself = 100 + rank // 10 * 10, 300 + rank
    calls = on(WORLD, WORLD)
    for _ in range(5):
        # Rows differ in the number of calls. Each process also calls on a communicator of its own.
        calls += on(*[row] * (row // 10), LEADERS, row, WORLD, *[itself] * (rank % 3), WORLD)
    return Several(rank, SIZE).does(groups(rank), calls + on(*also))


def test_processes_on_different_communicators(tmp_path: Path) -> None:
    right = [with_groups(rank) for rank in range(SIZE)]
    paths = left(tmp_path / "right", right)
    assert all(writer.head(path).sums for path in paths)
    assert select_channels.select(paths, select_channels.SingleProcess())[:2] == ([], [])
    # In one row the order differs.
    wrong = [
        with_groups(rank, *{True: (120, WORLD), rank == 27: (WORLD, 120)}[True])
        if rank // 10 == 2
        else with_groups(rank, WORLD)
        for rank in range(SIZE)
    ]
    paths = left(tmp_path / "wrong", wrong)
    assert [
        ranks(some)
        for some in select_channels.select(paths, select_channels.SingleProcess()).orders
    ] == [[20, 27]]


def test_what_does_not_block(tmp_path: Path) -> None:
    comms = {DUP: range(SIZE)}
    crossed = (WORLD, DUP), (DUP, WORLD)
    ended = []
    for rank in range(SIZE):
        calls = on(WORLD, *(DUP, WORLD) * 3)
        calls += on(*crossed[rank % 2], of=IBCAST) * (1 + (rank > 40)) + on(WORLD, DUP)
        calls += on(*crossed[rank % 2], of=IBCAST) * (2 - (rank > 40)) + on(DUP)
        ended.append(Several(rank, SIZE).does(comms, calls))
    paths = left(tmp_path, ended)
    assert all(writer.head(path).sums for path in paths)
    assert select_channels.select(paths, select_channels.SingleProcess()).orders == []


def vanish(ended: Sequence[Ended]) -> bool:
    """Return whether the sums of all orders are zero."""
    totals: dict[int, tuple[int, int]] = {}
    for one in ended:
        found = order_fingerprints.parts(one.process())
        assert found is not None
        for part in found:
            totals[part.key] = added(totals.get(part.key, (0, 0)), part.sum)
    assert len({total[0] == 0 for total in totals.values()} | {True}) <= 2
    return all(total == (0, 0) for total in totals.values())


def crosses(ended: Sequence[Ended]) -> bool:
    """Return whether two of the processes would wait for each other."""
    two = (World(processes(pair)) for pair in combinations(ended, 2))
    return any(list(call_order.check(pair)) for pair in two)


def test_sums_vanish_where_no_two_wait_for_each_other() -> None:
    chosen = random.Random(11)
    seen = set()
    for _ in range(some(300)):
        size = chosen.randint(2, 5)
        comms = {
            DUP + i: sorted(chosen.sample(range(size), chosen.randint(1, size))) for i in range(4)
        }
        every: list[tuple[int, Call]] = []
        for _ in range(chosen.randint(1, 4)):
            body = [(chosen.choice([WORLD, *comms]), chosen.choice([BCAST, BCAST, IBCAST]))]
            body += on(*(chosen.choice([WORLD, *comms]) for _ in range(chosen.randint(0, 3))))
            every += body * chosen.choice([1, 2, 9])
        ended: list[Ended] = []
        for rank in range(size):
            own = list(every)
            if chosen.random() < 0.3 and len(own) > 1:
                at = chosen.randrange(len(own) - 1)
                if own[at][0] != own[at + 1][0]:
                    own[at : at + 2] = own[at + 1], own[at]
            ended.append(Several(rank, size, runs=chosen.random() < 0.5).does(comms, own))
        assert vanish(ended) == (not crosses(ended))
        seen.add(vanish(ended))
    assert seen == {False, True}


def test_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    comms = {DUP: range(SIZE), ROW: range(1, 6)}
    ended = []
    for rank in range(SIZE):
        calls = on(*[WORLD, DUP] * 4, *[DUP] * (rank % 10), WORLD, *[DUP] * (10 - rank % 10))
        ended.append(Several(rank, SIZE).does(comms, calls + on(ROW)))
    monkeypatch.setattr(select_channels, "MOST_ORDERS", 3)
    paths = left(tmp_path / "some", ended)
    found = select_channels.select(paths, select_channels.SingleProcess())
    assert [ranks(some) for some in found.orders] == [[0, 1, 2], [1, 2, 3]]
    sentence = (
        "only 3 of 10 processes with different orders of calls on the same communicators were "
        "compared"
    )
    assert found.unchecked == [sentence]
    what = [one.what.text for one in compare.compare(str(tmp_path / "some"), told=[]).findings]
    assert what == [CROSSED]  # each pair of groups is reported once
    monkeypatch.setattr(compare, "MOST_SECONDS", -1.0)
    assert compare.compare(str(tmp_path / "some"), told=[]).unchecked == [
        "only 0 of 2 groups of processes with different orders of collective calls were compared: "
        "mpipp stops after -1 seconds",
        sentence,
    ]
    monkeypatch.setattr(order_fingerprints, "MOST", 35)  # enough for the other processes
    found = select_channels.select(left(tmp_path / "steps", ended), select_channels.SingleProcess())
    assert [ranks(some) for some in found.orders] == [[0, 6, 7]]
    assert found.unchecked == [
        "only 3 of 10 processes with different orders of calls on the same communicators were "
        "compared",
        "ranks 1 to 5 have too many changes of communicator for mpipp to compare the order of "
        "their collective calls between nodes",
    ]
