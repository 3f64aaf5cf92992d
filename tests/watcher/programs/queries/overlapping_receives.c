// SPDX-License-Identifier: MIT
// Two pending receives whose buffers overlap: MPI stores to each of them for the other.
#include <mpi.h>

int main(int argc, char **argv) {
  static int sent[10], received[15];
  int rank;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; i++) sent[i] = i + 1;
  MPI_Recv_init(received, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(received + 5, 10, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(sent, 10, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Send(sent, 10, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Finalize();
}
