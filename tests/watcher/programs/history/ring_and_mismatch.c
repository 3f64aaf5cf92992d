// SPDX-License-Identifier: MIT
// Ten steps of messages in a ring, each with a reduction; then a message between the last two ranks
// whose types do not match.
#include <mpi.h>

int main(int argc, char **argv) {
  int rank, size;
  double row[8] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < 10; i++) {
    MPI_Sendrecv_replace(row, 8, MPI_DOUBLE, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, row, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == size - 2) MPI_Send(row, 8, MPI_DOUBLE, size - 1, 1, MPI_COMM_WORLD);
  if (rank == size - 1) MPI_Recv(row, 16, MPI_INT, size - 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
