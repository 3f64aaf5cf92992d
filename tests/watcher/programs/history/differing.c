// SPDX-License-Identifier: MIT
// All processes receive several messages into one buffer: their number and elements depend on the
// rank. Rank 0 is first: the others wait until the file exists that the argument names.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 100, MOST = 8 };

int main(int argc, char **argv) {
  int rank, buffer[N], words[N] = {0};
  MPI_Request requests[MOST + 1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (rank > 0 && access(argv[1], F_OK) != 0) usleep(1000);
  int count = rank + 2;
  MPI_Irecv(buffer, N / 2, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[0]);
  for (int i = 1; i <= count; i++)
    MPI_Irecv(buffer + 3 * rank, 4, MPI_INT, rank, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i <= count; i++) MPI_Send(words, i ? 4 : N / 2, MPI_INT, rank, i, MPI_COMM_WORLD);
  MPI_Waitall(count + 1, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
}
