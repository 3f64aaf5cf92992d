# SPDX-License-Identifier: MIT
"""Children of a program whose buffers are guarded have memory of their own."""

from __future__ import annotations

import pytest
import runs
from support import MPI, on_mpi

WAYS = ("fork", "_Fork", "clone", "SYS_fork", "SYS_clone", "SYS_clone3")


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", WAYS)
def test_what_a_child_stores_is_its_own(mpi: MPI, how: str) -> None:
    program = runs.program("children.c", mpi)
    run = runs.run(mpi, [program, how], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "5 5\n5 5\n", [])
