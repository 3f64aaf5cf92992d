# SPDX-License-Identifier: MIT
"""Loads and stores after a process's last call are told, whatever ends the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.rma.onesided_told import told
from tests.support import MPI, end, every_mpi, on_mpi
from tests.watcher import runs

SOURCE = Path(__file__).resolve().parent / "programs" / "endings.c"
FOUND = {
    ("MPI_Get and a load write and read the same memory", "rank 1: a load", "load"),
    ("MPI_Put and a store write the same memory", "rank 1: a store", "store"),
}


@pytest.mark.parametrize("how", ["abort", "exit", "kill", "fault"])
@every_mpi
def test_of_a_process_that_ends(mpi: MPI, how: str, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path)
    run = runs.run(mpi, [program, how, tmp_path / "met"], "--check=rma")
    assert {*map(told, run.others)} == FOUND


@pytest.mark.parametrize("how", ["sleep", "poll"])
@on_mpi("mpich4", "openmpi4")
def test_of_a_process_that_goes_on_outside_of_mpi(mpi: MPI, how: str, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path)
    words = runs.words(mpi, "--check=rma", "--hang-after", "1")
    with runs.started([*words, program, how, tmp_path / "met"], mpi) as run:
        said = runs.until(run, "rank 1: a load")
        end(run)
    assert "error: MPI_Get and a load write and read the same memory" in said
