// SPDX-License-Identifier: MIT
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static double relax(const double *u, int n) {
  double sum = 0;
  for (int i = 1; i <= n; i++) sum += u[i];
  return sum;
}

static void exchange(double *u) {
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, (rank + size - 1) % size, 1, &u[11], 1, MPI_DOUBLE,
               (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double u[12] = {0};
  for (int step = 0; step < 3; step++) {
    u[0] = relax(u, 10);
    exchange(u);
  }
  printf("sum %g\n", u[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
