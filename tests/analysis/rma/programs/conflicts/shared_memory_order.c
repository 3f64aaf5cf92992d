// SPDX-License-Identifier: MIT
// Two of three processes put to the third. Shared memory may order the puts. "freed": it no longer
// exists. "fences": it exists, but both put in the same epoch. "flag": one puts when it has read a
// flag that the other set after its put. "abort": the job ends early. The others use memory of
// MPI_Win_allocate. "query": like "flag", with addresses from the library. "own": no process has
// queried another's address. "refused": the library does not return it.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int rank, value = 1, *memory, *flags, *flag, unit;
  const char *way = argc > 1 ? argv[1] : "";
  MPI_Aint size;
  MPI_Win win, shared;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int queries = !strcmp(way, "query"), asks_own = !strcmp(way, "own");
  int is_refused = !strcmp(way, "refused"), has_flag = queries || !strcmp(way, "flag");
  if (queries || asks_own || is_refused)
    MPI_Win_allocate(64, sizeof *flags, MPI_INFO_NULL, MPI_COMM_WORLD, &flags, &shared);
  else
    MPI_Win_allocate_shared(64, sizeof *flags, MPI_INFO_NULL, MPI_COMM_WORLD, &flags, &shared);
  if (is_refused) MPI_Win_set_errhandler(shared, MPI_ERRORS_RETURN);
  for (int i = 0; i < 1000; i++) { // a single entry in a log is enough
    int code = MPI_Win_shared_query(shared, asks_own ? rank : 0, &size, &unit, &flag);
    if (is_refused != (code != MPI_SUCCESS)) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) *flags = 0;
  if (!strcmp(way, "freed")) MPI_Win_free(&shared);
  MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  if (!strcmp(way, "fences")) {
    MPI_Win_fence(0, win);
    if (rank != 1) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
  } else {
    MPI_Win_lock_all(0, win);
    if (has_flag && rank == 2)
      while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) continue;
    if (rank != 1) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush_all(win);
    if (has_flag && rank == 0) __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    if (!strcmp(way, "abort")) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
  }
  MPI_Win_free(&win);
  if (strcmp(way, "freed") != 0) MPI_Win_free(&shared);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
}
