// SPDX-License-Identifier: MIT
// Each rank has one point of a function, and all add their values up. The sum is not a number.
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static double sinc(double x) {
  double value = sin(x) / x;
  return value;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double point = (rank - 13) * 0.5, sum;
  double value = sinc(point);
  MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %g\n", sum);
  MPI_Finalize();
  return 0;
}
