# SPDX-License-Identifier: MIT
"""Conflicts of two threads, by the calls and atomic operations that may order them."""

from __future__ import annotations

import re
from pathlib import Path

from tests.analysis.rma.onesided_reports import told
from tests.support import MPI, compile_program, on_mpi, program_source
from tests.watcher import runs

SOURCE = program_source("analysis/rma", "thread_order/calls.c")
BOTH = "MPI_Get and a store", "a store and MPI_Get"
CASES = (
    *("mutex", "condition", "rwlock", "barrier", "spin", "semaphore", "c_mutex", "c_condition"),
    *("atomic", "flag", "builtin", "create", "once", "pipe"),
)


@on_mpi("mpich4", "openmpi4")
def test_threads_without_order_are_reported(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(SOURCE, mpi, tmp_path)
    run = runs.run(mpi, [program], "--check=rma")
    found = [told(block) for block in run.blocks]
    # Without order, either access may come first.
    headlines = {headline for headline, _, _ in found}
    assert headlines <= {f"{both} write the same memory" for both in BOTH}
    assert sorted(where for _, _, where in found) == sorted(
        [*(f"{case}_racing" for case in CASES), "c_thread"]
    )
    for block in run.blocks:
        assert sorted(re.findall(r"in thread (\d)", block)) == ["0", "1"]
        assert "more at the same places" not in block
    assert (run.status, run.output) == (0, "")


@on_mpi("mpich4")
def test_without_atomic_operations_conflicts_are_possible(mpi: MPI) -> None:
    """The program is not compiled with `mpipp cc`, so its threads may wait in a way unseen."""
    program = compile_program(SOURCE, mpi, ("-g", "-O1", "-pthread", "-DGETS"))
    run = runs.run(mpi, [program], "--check=rma")
    assert (run.status, run.blocks) == (0, [])
    run = runs.run(mpi, [program], "--check=rma,rma-possible")
    assert ["MPI_Get and MPI_Get" in block for block in run.blocks] == [True]
