// SPDX-License-Identifier: MIT
// Rank 0 puts into rank 1's window while rank 1 stores elsewhere in it, which the separate memory
// model forbids. With an argument, the store comes later. To be compiled with `mpipp cc`.
#include <mpi.h>
#include <stdio.h>

static int *memory;

__attribute__((noinline)) static void set(int *at) {
  *at = 3;
}

int main(int argc, char **argv) {
  int rank, value = 5;
  MPI_Win win;
  (void)argv;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 2, 1, MPI_INT, win);
  if (argc > 1) MPI_Win_fence(0, win);
  if (rank == 1) set(&memory[9]);
  MPI_Win_fence(0, win);
  if (rank == 0) fputs("done\n", stdout);
  MPI_Win_free(&win);
  MPI_Finalize();
}
