// SPDX-License-Identifier: MIT
// Rank 0 waits for a message that no process sends, and the other ranks wait for rank 0.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, number;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    puts("ready");
    fflush(stdout);
    MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
