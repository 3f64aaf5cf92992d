# SPDX-License-Identifier: MIT
"""Conflicts of threads in C++."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, on_mpi, program_source
from tests.watcher import runs

RACING = ("async_racing", "mutex_racing", "promise_racing", "thread_racing")


@on_mpi("mpich4", "openmpi4")
def test_threads_and_futures_order(mpi: MPI, tmp_path: Path) -> None:
    source = program_source("analysis/rma", "thread_order/threads.cc")
    program = runs.compiled(source, mpi, tmp_path, "-std=c++17")
    run = runs.run(mpi, [program], "--check=rma")
    found = [set(re.findall(r"\b(\w+_(?:racing|ordered))\b", block)) for block in run.blocks]
    assert sorted(name for names in found for name in names) == sorted(RACING), run.blocks
    assert (run.status, run.output) == (0, "")
