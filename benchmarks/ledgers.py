# SPDX-License-Identifier: MIT
"""The comparison of all processes of a very large run, by one, two and four processes with MPI."""

from __future__ import annotations

import multiprocessing
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Figure
from tests.support import MPI, ROOT

RANKS = 10_000
# Numbers of neighbors, and of tags for each: their product is the number of channels.
DISTANCES, TAGS = 50, 2
WRONG = 4711  # the rank that once sends other data
_EXPECTED = "mpipp: 1 error in 0 processes (0 MPI calls checked)"
# Run the module, and print its processor time.
_TIMED = """
import runpy, sys, time
sys.argv = sys.argv[1:]
try:
    runpy.run_module("mpipp.api.parallel_compare", run_name="__main__")
finally:
    sys.stderr.write(f"took {time.process_time()} s\\n")
"""


def figures(mpi: MPI) -> Iterator[Figure]:
    """Seconds of comparisons of one set of files. One MPI is enough, because the cost
    is mpipp's."""
    if mpi.id != "mpich4":
        return
    with tempfile.TemporaryDirectory() as directory:
        begin = time.monotonic()
        make(Path(directory), RANKS)
        made = f"{RANKS} ledgers of {2 * DISTANCES * TAGS} channels made in"
        print(f"{made} {time.monotonic() - begin:.0f} s", flush=True)
        one = min(_compare(mpi, directory, 1) for _ in range(3))
        two = min(_compare(mpi, directory, 2) for _ in range(3))
        four = min(_compare(mpi, directory, 4) for _ in range(3))
    yield Figure(f"{mpi.id}: one error in {RANKS} ledgers, 2 processes", two[0], 120, "s")
    note = f"{four[1]:.1f} s of the processor in the busiest"
    yield Figure(f"{mpi.id}: the same by 4 processes", four[0], 60, "s", note)
    note = f"{one[0]:.1f} s by one"
    yield Figure(f"{mpi.id}: the same beside one process", two[0] / one[0], 1 / 1.6, "", note)
    note = f"{one[1]:.1f} s by one"
    yield Figure(f"{mpi.id}: processor time of each", two[1] / one[1], 1 / 1.6, "", note)


def _compare(mpi: MPI, directory: str, processes: int) -> tuple[float, float]:
    # Seconds in all, and processor seconds of the busiest process.
    begin = time.monotonic()
    done = subprocess.run(
        [*mpi.mpiexec, "-n", str(processes), mpi.python, "-c", _TIMED, "compare", directory],
        env={**mpi.env, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - begin
    assert done.stdout.endswith(f"{_EXPECTED}\n"), done.stdout + done.stderr
    return seconds, max(float(text) for text in re.findall(r"took (\S+) s", done.stderr))


def make(directory: Path, ranks: int) -> None:
    """Write the files of processes that send to their neighbors into `directory`."""
    with multiprocessing.Pool() as pool:
        tasks = [(str(directory), first, ranks) for first in range(0, ranks, 50)]
        for _ in pool.imap_unordered(_make, tasks):
            pass


def _make(task: tuple[str, int, int]) -> None:
    from mpipp.common.run_directory import PROCESSES, RunDirectory
    from mpipp.distributed.process_file import writer
    from tests.unit.ledgers import Ended, buffer, call
    from tests.unit.samples import DOUBLE, FLOAT, INT, contiguous

    directory, first, ranks = task
    triple = contiguous(3, INT)
    sent = [call("MPI_Send", buffer("buf", 1, triple)), call("MPI_Isend", buffer("buf", 5, DOUBLE))]
    received = [
        call("MPI_Recv", buffer("buf", 3, INT), line=2),
        call("MPI_Irecv", buffer("buf", 5, DOUBLE), line=3),
    ]
    wrong = call("MPI_Send", buffer("buf", 5, FLOAT), line=4)
    for rank in range(first, min(first + 50, ranks)):
        ended = Ended(rank, ranks)
        for distance in range(1, DISTANCES + 1):
            for tag in range(TAGS):
                after, before = (rank + distance) % ranks, (rank - distance) % ranks
                runs = [(1, 100_000, sent)]
                if (rank, distance, tag) == (WRONG % ranks, 17, 1):
                    runs = [(1, 501, sent), (502, 1, [wrong]), (503, 99_498, sent)]
                ended.sends(after, tag, *runs)
                ended.receives(before, tag, (1, 100_000, received))
        content = writer.written(ended.process(), lambda site: [], f"node{rank // 64}").process
        RunDirectory(directory).publish(f"{PROCESSES}/{rank}-node{rank // 64}-{rank}", content)
