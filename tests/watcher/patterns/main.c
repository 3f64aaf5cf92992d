// SPDX-License-Identifier: MIT
#include <stdint.h>
#include <stdio.h>

#include "patterns.h"

void go(void) {
  MPI_Send(NULL, 0, MPI_INT, 1, 99, MPI_COMM_WORLD);
}

void await_go(void) {
  MPI_Recv(NULL, 0, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void need(const double *cells, int n, double first) {
  for (int i = 0; i < n; i++) {
    if (cells[i] == first + i) continue;
    printf("cell %d is %g\n", i, cells[i]);
    return;
  }
}

// Conversions of handles for Fortran, for an MPI without Fortran layer.
int64_t pattern_world(void) {
  return (int64_t)(intptr_t)MPI_COMM_WORLD;
}

int64_t pattern_double(void) {
  return (int64_t)(intptr_t)MPI_DOUBLE;
}

int main(int argc, char **argv) {
  void (*const all[])(int, int) = {athena_r1086, athena_r1090,    octopus_r1278,   boost_app,
                                   sort,         athena_r1086_cc, octopus_r1278_cc};
  int rank;
  (void)argv;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    all[i](rank, argc > 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
