// SPDX-License-Identifier: MIT
// Each process leaks a datatype, and waits twice for longer than the watcher takes to check.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Datatype pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) sleep(2);
  MPI_Barrier(MPI_COMM_WORLD);
  fputs("ended\n", stdout);
  MPI_Finalize();
}
