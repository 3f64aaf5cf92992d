# SPDX-License-Identifier: MIT
"""Correct programs get no reports, and have no undecided facts."""

from __future__ import annotations

import pytest

from tests import short
from tests.support import MPI, ROOT, compile_program, on_mpi
from tests.watcher import runs

SOURCE = ROOT / "tests" / "perturb" / "programs" / "correct_onesided.c"


@pytest.mark.parametrize("seed", [1, 101, 201])
@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_of_random_correct_programs_nothing_is_told(mpi: MPI, seed: int) -> None:
    """Correct random programs use all kinds of windows, operations and synchronization."""
    n = 3 if (mpi.id, seed) == ("openmpi4", 201) else 2  # other values are slow
    nothing_is_told(mpi, seed, short.some(60), n)


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_nor_of_those_of_four_processes(mpi: MPI) -> None:
    nothing_is_told(mpi, 301, short.some(20), 4)


def nothing_is_told(mpi: MPI, seed: int, programs: int, n: int) -> None:
    program = compile_program(SOURCE, mpi)
    run = runs.run(mpi, [program, str(seed), str(programs)], "--check=rma", n=n)
    assert (run.status, run.blocks) == (0, [])
    assert [line.partition(" (")[0] for line in run.last] == [f"mpipp: no errors in {n} processes"]
