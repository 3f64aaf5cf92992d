# SPDX-License-Identifier: MIT
"""One-sided operations are compared with the windows of other processes on the node."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import MPI, ROOT, on_mpi
from tests.watcher import runs

OUTSIDE = """\
error: MPI_Put writes the bytes [4089, 4097) of the window of rank 1, which has 4096
  rank 0: MPI_Put(...)
    called at reach.c:36 in main
    target_disp 4089 x disp_unit 1 = 4089
  rank 1: MPI_Win ...
    made at reach.c:19 in main
  rule: MPI-4.1, section 12.3.1: the target's memory must lie in its window
  to do: compare the displacement, the count and the datatype's extent with the window's size"""


@on_mpi("mpich4", "openmpi4")
def test_beyond_the_window(mpi: MPI) -> None:
    """Correct accesses at a thousand places are queried only until the window is known."""
    found, queries = runs.run_with_queries(mpi, [runs.program("reach.c", mpi), "wrong"])
    block = runs.only(found.blocks)
    block = re.sub(r"MPI_Win #.*", "MPI_Win ...", re.sub(r"MPI_Put\(.*\)", "MPI_Put(...)", block))
    assert block == mpi.cited(OUTSIDE)
    assert runs.only(found.last).startswith("mpipp: 1 error in 2 processes (")
    assert queries < 200


# The first answer is slow, so windows are freed before queries about them are answered. Each wait
# for a window writes a byte.
LATE = """
import time
from mpipp.watcher.queries import window_sizes as reaching

targets = reaching.targets

def late(*words):
    reaching.targets = targets
    time.sleep(1)
    return targets(*words)

class Counted:
    def sleep(seconds):
        with open("{waits}", "a") as file:
            file.write(".")
        time.sleep(seconds)

reaching.targets = late
reaching.time = Counted
"""


@on_mpi("mpich4", "openmpi4")
def test_within_the_windows(mpi: MPI, tmp_path: Path) -> None:
    waits = tmp_path / "waits"
    waits.touch()
    (tmp_path / "sitecustomize.py").write_text(LATE.format(waits=waits))
    found = runs.run(mpi, [runs.program("reach.c", mpi)], PYTHONPATH=f"{tmp_path}:{ROOT}")
    said = found.output.replace("\n", "")  # the lines of two processes may be mixed
    assert (found.status, said, found.blocks) == (0, "done" * 2, [])
    last = runs.only(found.last)
    assert last.startswith("mpipp: no errors in 2 processes ("), last
    # Waits for freed windows would add fifty bytes for each query.
    assert waits.stat().st_size < 500
