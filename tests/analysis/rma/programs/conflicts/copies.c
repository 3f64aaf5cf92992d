// SPDX-License-Identifier: MIT
// Rank 1 puts into the window of rank 0, which passes the data on. Only the unified memory model
// allows this. With an argument, rank 0 synchronizes its private and public copies first.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, *memory, value = 5;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(16, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (argc > 1) MPI_Win_sync(win);
    MPI_Put(memory, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) fputs("done\n", stdout);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
