# SPDX-License-Identifier: MIT
"""One thread is in an MPI call and another outside: its next action is unknown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import support
from tests.support import MPI, on_mpi
from tests.watcher import runs

SOURCE = """\
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
static volatile int is_received;
static void work(int rank) {
  int value = 0;
  if (rank == 0) value = getchar();
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  while (!is_received) usleep(1000);
}
static void exchange(int rank) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  is_received = 1;
}
int main(int argc, char **argv) {
  int provided, rank, flag;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#pragma omp parallel num_threads(2)
  {
    MPI_Initialized(&flag);
    MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);
#pragma omp barrier
    if (omp_get_thread_num()) work(rank);
    else exchange(rank);
  }
  MPI_Finalize();
}
"""
NOT_TOLD = "unknown: ranks 0 and 1 may still continue"


def waiting(*outside: str) -> list[str]:
    """The lines of both processes, with the activity of the other thread of each."""
    return [
        line
        for rank in (0, 1)
        for line in (
            f"  rank {rank} waits in MPI_Recv(source {1 - rank}, tag 8), "
            "called at main.c:14 in exchange",
            f"    for rank {1 - rank}",
            f"    another thread is not in MPI ({outside[rank]})",
        )
    ]


@on_mpi("mpich4", "openmpi4", "mpich5", "openmpi5")
def test_a_hang_with_threads_outside(mpi: MPI) -> None:
    """mpipp reports the hang as a remark with the places of both threads, because they may
    continue."""
    program = support.compile_program(SOURCE, mpi, ("-g", "-O0", "-fopenmp"))
    words = runs.words(mpi, "--hang-after", "1", "--error-exit", "9")
    run = runs.started([*words, program], mpi)
    said = runs.until(run, "    another thread is", times=2)
    launcher = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    options = ("-batch", "-ex", "echo @@@\\n", "-ex", "mpipp why")
    in_gdb = support.shell("attach", *launcher, "--", *options).stdout
    done = runs.went_on(run, said)
    lines = done.stderr.splitlines()
    first = lines.index("remark: no MPI call has begun or returned for 1 s")
    after = "computing after MPI_Comm_test_inter, called at main.c:25 in main (OpenMP region)"
    assert lines[first + 1 : first + 8] == [
        f"  {line}" for line in (NOT_TOLD, *waiting(after, after))
    ]
    # The calls between functions of the C library do not matter.
    shown = re.sub(r"\(in \w+, called", "(in a function, called", in_gdb.partition("@@@\n")[2])
    where = [f"in a function, called at main.c:{line} in work" for line in (8, 10)]
    assert shown.splitlines()[:7] == [NOT_TOLD, *waiting(*where)], in_gdb
    found = runs.read(done)
    assert (found.status, found.blocks) == (0, [])


REGION = "MPI_Barrier is called in a parallel region of OpenMP, but MPI provides MPI_THREAD_SINGLE"


@on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize("how", ["", "funneled", "behind"])
def test_calls_in_a_region(mpi: MPI, how: str) -> None:
    program = runs.program("parallel_region.c", mpi, "-fopenmp")
    found = runs.run(mpi, [program, *filter(None, [how])]).others
    assert [block.splitlines()[0] for block in found] == ([] if how else [f"error: {REGION}"])
