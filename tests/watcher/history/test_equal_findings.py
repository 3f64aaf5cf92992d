# SPDX-License-Identifier: MIT
"""Equal errors of several processes are one finding, even with other numbers or at other times."""

from __future__ import annotations

from pathlib import Path

from tests.support import MPI, on_mpi
from tests.watcher import runs

N = 4
# The operations overlap the first one, and each other.
FOUND = ["MPI_Irecv and MPI_Irecv write the same memory"] * 2


def headlines(run: runs.Run) -> list[str]:
    return [block.split("\n")[0].removeprefix("error: ").partition(",")[0] for block in run.blocks]


@on_mpi("mpich4", "openmpi4")
def test_findings_that_differ_in_numbers_are_one(mpi: MPI, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.touch()
    run = runs.run(mpi, [runs.program("differing.c", mpi), there], n=N)
    assert (run.status, run.output, headlines(run)) == (0, "done\n", FOUND)
    assert run.last[-1].startswith(f"mpipp: 2 errors in {N} processes")


@on_mpi("mpich4", "openmpi4")
def test_those_of_processes_that_come_later_are_the_same(mpi: MPI, tmp_path: Path) -> None:
    """A line at the end reports their ranks. The finding is not printed again."""
    there = tmp_path / "there"
    words = [*runs.words(mpi, n=N), str(runs.program("differing.c", mpi)), str(there)]
    started = runs.started(words, mpi)
    said = runs.until(started, "  to do: ", times=len(FOUND))
    there.touch()
    done = runs.ended(started, said)
    run = runs.read(done)
    assert (run.status, run.output, headlines(run)) == (0, "done\n", FOUND)
    assert all("\n  rank 0: MPI_Irecv(" in block for block in run.blocks)
    same = runs.repeated(done)
    assert all(line.startswith("mpipp: also in ranks 1 to 3: ") for line in same)
    assert (len(same), len(run.last)) == (len(FOUND), 1)
    assert run.last[-1].startswith(f"mpipp: 2 errors in {N} processes")
