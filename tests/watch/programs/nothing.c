// SPDX-License-Identifier: MIT
// Completes no requests: the array has none, whatever lies there.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
  MPI_Request requests[400], nothing[4];
  int rank, flag, value = 0, got[400];
  memset(nothing, 0, sizeof nothing);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < 400; i++)
      MPI_Irecv(&got[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Testall(0, nothing, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 400; i++) MPI_Send(&value, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
    MPI_Waitall(400, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
