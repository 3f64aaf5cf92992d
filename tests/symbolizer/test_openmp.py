# SPDX-License-Identifier: MIT
"""Calls in OpenMP regions: their places name the function that contains the region."""

from __future__ import annotations

from tests.support import MPI, compile_program, gdb_batch, on_mpi
from tests.watcher import runs

SOURCE = runs.program_source("openmp.c")
PLACE = "made at openmp.c:10 in make (OpenMP region)"


@on_mpi("mpich4", "openmpi4")
def test_a_region_is_known_by_its_function(mpi: MPI) -> None:
    program = compile_program(SOURCE, mpi, ("-g", "-O0", "-fopenmp"))
    block = runs.only(runs.run(mpi, [program], "--check=leaks", n=1).blocks)
    assert f"    {PLACE}\n" in block
    stop = ("break MPI_Finalize", "run")
    text = gdb_batch(["mpipp list types"], program=program, mpi=mpi, stop=stop)
    assert PLACE in text
