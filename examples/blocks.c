// SPDX-License-Identifier: MIT
// Rank 0 sends two blocks to rank 1, one after the other; rank 1 receives them when it is ready.
// With an argument it prepares the second one where the first one still is.
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 1 << 17, TIMES = 2 };

static double blocks[2][CELLS], taken[CELLS];

static void prepare(double *block, double with) {
  for (int i = 0; i < CELLS; i++) block[i] = with;
}

static void give(int early) {
  MPI_Request requests[2];
  prepare(blocks[0], 1);
  MPI_Isend(blocks[0], CELLS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[0]);
  double *next = early ? blocks[0] : blocks[1];
  prepare(next, 2);
  MPI_Isend(next, CELLS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  int rank;
  double seen[TIMES][2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int time = 0; time < TIMES; time++) {
    if (rank == 0) give(argc > 1);
    if (rank != 1) continue;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
      MPI_Recv(taken, CELLS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seen[time][i] = taken[CELLS / 2];
    }
  }
  for (int i = 0; rank == 1 && i < 2 * TIMES; i++) printf("block %g\n", seen[i / 2][i % 2]);
  MPI_Finalize();
}
