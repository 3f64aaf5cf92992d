# SPDX-License-Identifier: MIT
"""Objects that a callback of the program creates in an MPI call, with reused handles."""

from __future__ import annotations

from tests.support import MPI, every_mpi
from tests.watcher import runs


@every_mpi
def test_handles_that_were_freed_before(mpi: MPI) -> None:
    found = runs.run(mpi, [runs.program("callbacks.c", mpi)])
    assert (found.status, found.blocks, found.output) == (0, [], "again: 1\n")
