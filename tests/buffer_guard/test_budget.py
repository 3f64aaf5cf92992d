# SPDX-License-Identifier: MIT
"""Guard coverage is counted by place. Guarding keeps its budget, and places take turns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import MPI, on_mpi, shell
from tests.watcher import runs

HEAD = (
    "Buffers of pending operations, by the calls that started the operations:\n"
    f"  {'call'.ljust(len('MPI_Irecv, budget.c:11 in exchange'))}  operations  by pages  "
    "by comparison  over budget  not at all\n"
)
ROW = re.compile(
    r"  (MPI_\w+, budget\.c:\d+ in \w+) +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+) +(\d+)"
)


def rows(directory: Path) -> dict[str, list[int]]:
    """The rows of the report's table."""
    told = shell("report", directory).stdout
    assert HEAD in told
    found = ROW.findall(told)
    return {name: [int(one.replace(",", "")) for one in counts] for name, *counts in found}


@pytest.mark.thorough
@on_mpi("mpich4")
def test_places_take_turns(mpi: MPI, tmp_path: Path) -> None:
    program = runs.program("budget.c", mpi)
    options = ["--check=buffers", "--report", str(tmp_path), "--budget"]
    assert runs.run(mpi, [program], *options, runs.ALL, n=1).output == "done\n"
    expected = {
        "MPI_Irecv, budget.c:11 in exchange": 3000,
        "MPI_Isend, budget.c:12 in exchange": 3000,
        "MPI_Irecv, budget.c:18 in other": 12000,
        "MPI_Isend, budget.c:19 in other": 12000,
    }
    assert rows(tmp_path) == {name: [n, n, 0, 0, 0] for name, n in expected.items()}
    run = runs.run(mpi, [program], *options, "1", n=1)
    assert (run.output, run.blocks) == ("done\n", [])
    told = re.fullmatch(
        r"mpipp: not checked: the buffers of ([\d,]+) of 30,000 operations: guarding them "
        r"would exceed the time budget \(see --budget\)",
        run.last[0],
    )
    assert told, run.last
    counted = rows(tmp_path)
    assert {name: row[0] for name, row in counted.items()} == expected
    assert all(pages > 0 for _, pages, *_ in counted.values()), counted
    assert sum(row[3] for row in counted.values()) == int(told[1].replace(",", ""))


PLACES = ("MPI_Irecv, turns.c:22 in exchange", "MPI_Isend, turns.c:23 in exchange")
PERSISTENT = ("MPI_Recv_init, turns.c:39 in starts", "MPI_Send_init, turns.c:40 in starts")
MANY = ("MPI_Recv_init, turns.c:64 in start_many", "MPI_Ssend_init, turns.c:65 in start_many")
OF_TURNS = re.compile(ROW.pattern.replace("budget", "turns"))


@pytest.mark.parametrize("budget", ["0", "8", runs.ALL])
@on_mpi("mpich4", "openmpi4")
def test_a_guard_that_sleeps_and_wakes_loses_nothing(mpi: MPI, budget: str, tmp_path: Path) -> None:
    """While the guard sleeps, no call goes through it. Each of two threads may wake it.

    Many persistent operations are started together. Each of them is guarded sooner or later.
    """
    rounds, wrong = 4000, ["wrong"] if budget == "8" else []
    program = runs.program("turns.c", mpi, "-pthread")
    options = ["--check=buffers", "--report", str(tmp_path), "--budget", budget]
    run = runs.run(mpi, [program, str(rounds), *wrong], *options, n=1)
    assert (run.status, run.output) == (0, "lost 0\n")
    told = [block.splitlines()[0] for block in run.blocks]
    assert told == ["error: the buffer of a pending MPI_Ssend_init was changed"] * len(wrong)
    found = OF_TURNS.findall(shell("report", tmp_path).stdout)
    counted = {name: [int(one.replace(",", "")) for one in row] for name, *row in found}
    assert tuple(sorted(counted)) == tuple(sorted((*PLACES, *PERSISTENT, *MANY)))
    for operations, *how in (counted.pop(place) for place in MANY):
        assert operations == sum(how) == 8 * 4 * rounds - sum(range(8))
        assert [n > 0 for n in how[:2]] == [budget != "0", budget != "0"]
        assert how[3] == 0
        if budget != "8":  # the number then depends on the machine's speed
            assert (how[2] > 0) == (budget == "0")
    # Each start of a persistent request counts, even if it is not guarded.
    received, sent = (counted.pop(place) for place in PERSISTENT)
    assert (received[0], sum(received[3:]), sent[0], sum(sent[2:4])) == (6, 6, 6, 6)
    if budget == "0":
        assert (received[3], sent[3]) == (6, 6)
    if budget == runs.ALL:
        assert (received[4], sent[2]) == (6, 6)
    for operations, pages, compared, skipped, nothing in counted.values():
        assert operations == 2 * rounds
        assert (pages, nothing) == (0, 0)
        assert compared + skipped == operations
        assert (compared > 0) == (budget != "0")
        if budget != "8":
            assert (skipped > 0) == (budget == "0")
