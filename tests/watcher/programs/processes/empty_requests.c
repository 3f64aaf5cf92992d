// SPDX-License-Identifier: MIT
// Completes arrays without requests: MPI reads nothing, for any address of the array.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Request requests[40], *nothing = (MPI_Request *)8;
  int rank, flag, value = 0, got[40];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < 40; i++)
      MPI_Irecv(&got[i], 1, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Testall(0, nothing, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 40; i++) MPI_Send(&value, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
    MPI_Waitall(40, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
