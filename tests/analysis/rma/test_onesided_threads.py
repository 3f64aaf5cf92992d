# SPDX-License-Identifier: MIT
"""Random one-sided programs of several threads that are right: whatever is not seen of how threads
wait for each other, nothing false is told.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.analysis.rma.onesided_told import IN_ORDER
from tests.support import MPI, compile_program, on_mpi
from tests.watcher import runs

SOURCE = Path(__file__).resolve().parent / "programs" / "threads.c"
NOT_KNOWN = "one-sided operations at the end of ranks N: what orders them is not known"


@pytest.mark.parametrize("n", [2, 3, 4])
@on_mpi("mpich4", "openmpi4")
def test_threads_that_wait_for_each_other(mpi: MPI, n: int) -> None:
    program = compile_program(SOURCE, mpi, ("-g", "-O1", "-pthread"))
    run = runs.run(mpi, [program, str(100 * n), "2"], "--check=rma", n=n)
    assert (run.status, run.output, run.blocks) == (0, "right\n", [])
    *before, last = run.last
    assert last.partition(",")[0] == f"mpipp: no errors in {n} processes"
    # Where threads send and receive at once, a log need not tell what was first.
    said = [re.sub(r"ranks? [\d andto,]+:", "ranks N:", line) for line in before]
    # Perhaps from before several threads have used a window.
    threads = IN_ORDER.format("ranks N")
    cut = [f"{threads}; {NOT_KNOWN}"], [f"mpipp: not checked: {NOT_KNOWN}"]
    assert said in ([threads], *cut)
