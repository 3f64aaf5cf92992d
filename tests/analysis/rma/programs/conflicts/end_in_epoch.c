// SPDX-License-Identifier: MIT
// Two puts conflict. Then one process ends within an epoch, as the argument selects. Two processes.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, *memory, value = 1;
  const char *how = argc > 1 ? argv[1] : "";
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
  MPI_Win_flush(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Put(&value, 1, MPI_INT, 0, 4 + rank, 1, MPI_INT, window);
  if (rank == 1 && !strcmp(how, "kill")) raise(SIGKILL);
  if (rank == 1 && !strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 1 && !strcmp(how, "exit")) _exit(5);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
