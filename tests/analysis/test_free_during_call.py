# SPDX-License-Identifier: MIT
"""Another thread may free a datatype while a call uses it, but not before the call."""

from __future__ import annotations

import pytest

from tests import support

# A thread is in a call when gdb continues the main thread, which frees the datatype and leaves MPI.
# With an argument there is one thread, which frees it before the call.
PROGRAM = """\
#include <mpi.h>
#include <pthread.h>
#include <sched.h>

static MPI_Datatype type, freed;
static int row[4], go;

void reached(void) {}

static void *receive(void *argument) {
  MPI_Recv(row, 1, type, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return argument;
}

static void one_to_one(void) {
  const int one = 1, none = 0;
  const MPI_Datatype integer = MPI_INT;
  MPI_Alltoallw(row, &one, &none, &integer, row + 2, &one, &none, &type, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (argc == 1) {
    pthread_t thread;
    pthread_create(&thread, NULL, receive, NULL);
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE)) sched_yield();
  }
  freed = type;
  MPI_Type_free(&freed);
  reached();
  if (argc > 2)
    one_to_one();
  else if (argc > 1)
    receive(NULL);
}
"""


@support.each_handle
def test_another_thread_may_free_it(mpi: support.MPI) -> None:
    stop = ["set breakpoint pending on", "mpipp break MPI_Recv", "break reached", "run"]
    stop += ["thread 1", "set scheduler-locking on", "set var go = 1", "continue"]
    program = support.compile_program(PROGRAM, mpi)
    printed = support.gdb_batch(["mpipp check"], program=program, mpi=mpi, stop=stop)
    assert printed == "no findings in 1 process, 1 active call, 0 pending requests\n"


@support.on_mpi("mpich4", "openmpi4")
@pytest.mark.parametrize(
    ("procedure", "args"), [("MPI_Recv", ["1"]), ("MPI_Alltoallw", ["1", "2"])]
)
def test_the_same_thread_may_not(mpi: support.MPI, procedure: str, args: list[str]) -> None:
    stop = ["set breakpoint pending on", f"mpipp break {procedure}", "run"]
    program = support.compile_program(PROGRAM, mpi)
    printed = support.gdb_batch(["mpipp check"], program=program, args=args, mpi=mpi, stop=stop)
    assert printed.startswith(f"error: a freed datatype is used\n  {procedure}(")
