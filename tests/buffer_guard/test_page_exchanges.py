# SPDX-License-Identifier: MIT
"""The guard exchanges pages only when nothing in the program is about to use them."""

from __future__ import annotations

import pytest

from tests.support import MPI, on_mpi
from tests.watcher import runs

WAYS = ("reads", "stores", "handler")


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", WAYS)
def test_the_buffer_of_what_is_started_later_is_the_programs(mpi: MPI, how: str) -> None:
    program = runs.program("exchanged.c", mpi, "-pthread")
    right = runs.run(mpi, [program, "persistent", how], "--check=buffers", n=1)
    assert (right.status, right.output, right.blocks) == (0, "0 failed\n", [])
    run = runs.run(mpi, [program, "persistent", how, "wrong"], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "0 failed\n")
    (block,) = run.blocks
    assert block.startswith("error: a store to the buffer of a pending MPI_Send_init")


# Open MPI 5.0 crashes when a partitioned request is freed.
@on_mpi("mpich4", "mpich5")
@pytest.mark.parametrize("how", WAYS)
def test_partitions_are_the_programs_until_they_are_ready(mpi: MPI, how: str) -> None:
    program = runs.program("exchanged.c", mpi, "-pthread")
    run = runs.run(mpi, [program, "partitioned", how], "--check=buffers", n=1)
    assert (run.status, run.output, run.blocks) == (0, "0 failed\n", [])


@on_mpi("mpich4", "openmpi4")
def test_the_size_of_files_is_limited_once_buffers_are_guarded(mpi: MPI) -> None:
    run = runs.run(mpi, [runs.program("file_limit.c", mpi)], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "done\n")
    assert [block.splitlines()[0].partition(",")[0] for block in run.blocks] == [
        "error: a store to the buffer of a pending MPI_Isend",
        "error: the buffer of a pending MPI_Isend was changed",
    ]
