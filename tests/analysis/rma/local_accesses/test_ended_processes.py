# SPDX-License-Identifier: MIT
"""Loads and stores after a process's last call are reported, however the process ends."""

from __future__ import annotations

from pathlib import Path

from tests.analysis.rma.onesided_reports import told
from tests.support import MPI, end, every_mpi, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "last_accesses.c")
FOUND = {
    ("MPI_Get and a load write and read the same memory", "rank 1: a load", "load"),
    ("MPI_Put and a store write the same memory", "rank 1: a store", "store"),
}


@every_mpi
def test_of_a_process_that_ends(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path)
    for how in ("abort", "exit", "kill", "fault"):
        run = runs.run(mpi, [program, how, tmp_path / f"met-{how}"], "--check=rma")
        assert {*map(told, run.others)} == FOUND, how


@on_mpi("mpich4", "openmpi4")
def test_of_a_process_that_goes_on_outside_of_mpi(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path)
    for how in ("sleep", "poll"):
        words = runs.words(mpi, "--check=rma", "--hang-after", "1")
        with runs.started([*words, program, how, tmp_path / f"met-{how}"], mpi) as run:
            said = runs.until(run, "rank 1: a load")
            end(run)
        assert "error: MPI_Get and a load write and read the same memory" in said, how
