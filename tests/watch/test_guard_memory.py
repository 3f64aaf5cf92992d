# SPDX-License-Identifier: MIT
"""What guarding buffers takes of the system, and what becomes of it."""

from __future__ import annotations

import runs
from support import MPI, on_mpi


@on_mpi("mpich4", "openmpi4")
def test_pages_that_are_given_back_are_kept_nowhere(mpi: MPI) -> None:
    program = runs.program("kept_memory.c", mpi)
    run = runs.run(mpi, [program, "large"], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "32, then 0\n" * 3, [])


@on_mpi("mpich4", "openmpi4")
def test_buffers_that_are_no_more_take_no_room_from_others(mpi: MPI) -> None:
    program = runs.program("kept_memory.c", mpi)
    run = runs.run(mpi, [program, "many"], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    (last,) = run.last
    assert last.startswith("mpipp: no errors in 1 process, ")
