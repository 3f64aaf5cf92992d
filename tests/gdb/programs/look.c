/* SPDX-License-Identifier: MIT */
/* Four ranks that do different things: tests/gdb/processes/test_all_ranks.py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
  int rank;
  double mass;
} particle = {0, 1.5};
static double zero;

static void compute(void) {
  for (;;) pause();
}

static void exchange(int rank, int size) {
  double field[2][3] = {{1, 2, 3}, {4, 5, 6}}, received = 0;
  double residual = 0.25, *row = field[1];
  int steps = 10, to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request request;
  if (rank == 2) {
    field[1][2] = 9;
    residual = zero / zero;
    steps = -3;
  }
  MPI_Send(&residual, 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
  MPI_Send(field, 6, MPI_DOUBLE, to, 3, MPI_COMM_WORLD);
  MPI_Recv(&received, 1, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 3) compute();
  if (rank == 2) {
    MPI_Irecv(&received, 1, MPI_DOUBLE, 3, 2, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%g %g %d\n", *row, residual, steps);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  particle.rank = rank;
  printf("%d %d\n", rank, getpid());
  fflush(stdout);
  exchange(rank, size);
  MPI_Finalize();
  return 0;
}
