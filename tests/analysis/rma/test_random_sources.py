# SPDX-License-Identifier: MIT
"""Random programs on a real MPI: the reports agree with the oracle."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.analysis.rma import onesided_sources as written
from tests.short import some
from tests.support import MPI, compile_program, on_mpi
from tests.watcher import runs

CHECK = "--check=rma-conflict,rma-epoch"


@on_mpi("mpich4", "openmpi4")
def test_of_random_programs_is_told_what_the_oracle_says(mpi: MPI, tmp_path: Path) -> None:
    # In Open MPI, four processes that wait for each other are slow.
    seeds = some(80) if mpi.id == "mpich4" else max(some(40), 20)
    made = written.write(range(seeds), loads=False)
    program = compile_program(written.put(made, tmp_path), mpi)
    run = runs.run(mpi, [program], CHECK, n=written.RANKS)
    assert (run.status, run.output, len(run.last)) == (0, "done\n", 1)
    compared = written.compare(made, run.blocks)
    assert (compared.false, compared.missing) == ([], [])
    assert some(4) <= compared.conflicting <= len(made.programs) - some(4)


@pytest.mark.thorough
@on_mpi("mpich4")
def test_loads_and_stores_are_in_random_programs_too(mpi: MPI, tmp_path: Path) -> None:
    for separate in (False, True):
        made = written.write(range(100, 100 + some(60)), loads=True, separate=separate)
        program = runs.compiled(written.put(made, tmp_path), mpi, tmp_path)
        options = ["--rma-model=separate"] if separate else []
        run = runs.run(mpi, [program], CHECK, *options, n=written.RANKS)
        assert (run.status, run.output) == (0, "done\n")
        compared = written.compare(made, run.blocks)
        assert compared.false == []
        assert compared.conflicting > some(10)
        # Each process loads its memory and calls MPI_Win_sync. Other processes may know what it has
        # read.
        undecided = re.match(r"mpipp: not checked: (\d+) possible conflicts?", run.last[0])
        assert len(compared.missing) <= (int(undecided[1]) if undecided else 0)
