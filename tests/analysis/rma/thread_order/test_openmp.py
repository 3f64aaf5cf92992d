# SPDX-License-Identifier: MIT
"""Conflicts of threads in regions of OpenMP."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "thread_order/openmp.c")
RACING = (
    *("barrier_racing", "critical_racing", "loop_racing", "master_racing", "origin_racing"),
    *("single_racing", "target_racing", "task_racing"),
)


@on_mpi("openmpi4")  # compiles with GCC
def test_regions_order_threads(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path, "-fopenmp")
    run = runs.run(mpi, [program], "--check=rma")
    found = []
    for block in run.blocks:
        accesses = re.findall(r": a (?:load|store)\n +at \S+ in (\w+)", block)
        assert len(accesses) == 1, block
        found += accesses
    assert sorted(found) == sorted(RACING)
    assert (run.status, run.output) == (0, "")
