// SPDX-License-Identifier: MIT
// Each process passes its row on to the next one in a ring. With an argument it receives the other
// row too early, into the buffer that it still sends from.
#include <mpi.h>

enum { CELLS = 1000, ROUNDS = 100 };

static double row[2 * CELLS], next_row[CELLS];

int main(int argc, char **argv) {
  int rank, size;
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double *into = argc > 1 ? row + CELLS / 2 : next_row;
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Isend(row, CELLS, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(into, CELLS, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
}
