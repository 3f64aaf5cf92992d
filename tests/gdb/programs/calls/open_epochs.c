// SPDX-License-Identifier: MIT
// Two processes stop in an open epoch. One process puts and gets the same memory, and the other
// also puts to it.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, *memory, out[2] = {1, 2}, in;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(16, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  MPI_Put(out, 2, MPI_INT, 1, rank, 2, MPI_INT, win);
  if (rank == 0) MPI_Get(&in, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  printf("%d %d\n", rank, (int)getpid());
  fflush(stdout);
  pause();
  MPI_Win_unlock_all(win);
  MPI_Finalize();
  return 0;
}
