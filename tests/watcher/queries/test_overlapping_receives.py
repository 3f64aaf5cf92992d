# SPDX-License-Identifier: MIT
"""Overlapping receives are one error, also if a guard sees that MPI changes their buffers."""

from __future__ import annotations

from tests.support import MPI, on_mpi
from tests.watcher import runs


@on_mpi("mpich4", "openmpi4")
def test_changes_by_the_other_receive_are_no_second_error(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("overlapping_receives.c", mpi)], "--check", n=2)
    (block,) = run.blocks
    assert block.startswith("error: MPI_Recv_init and MPI_Recv_init write the same memory, [0x")
