# SPDX-License-Identifier: MIT
"""Child processes of a program with guarded buffers have memory and files of their own."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

WAYS = ("fork", "within", "_Fork", "clone", "SYS_fork", "SYS_clone", "SYS_clone3")


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", WAYS)
def test_what_a_child_stores_is_its_own(mpi: MPI, how: str) -> None:
    program = runs.program("children.c", mpi)
    run = runs.run(mpi, [program, how], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "5 5\n5 5\n", [])


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_a_child_that_shares_files_closes_none(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("children.c", mpi), "files"], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "5 5\n5 5\n", [])
    assert [line.partition(" (")[0] for line in run.last] == ["mpipp: no errors in 1 process"]
