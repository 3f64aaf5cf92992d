// SPDX-License-Identifier: MIT
// Ranks 0 and 1, and ranks 1 and 2, exchange a message whose types do not match.
#include <mpi.h>

static void pass(int rank, int from) {
  double sent = 1;
  int received[2];
  if (rank == from) MPI_Send(&sent, 1, MPI_DOUBLE, from + 1, from, MPI_COMM_WORLD);
  if (rank == from + 1)
    MPI_Recv(received, 2, MPI_INT, from, from, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pass(rank, 0);
  pass(rank, 1);
  MPI_Finalize();
  return 0;
}
