// SPDX-License-Identifier: MIT
// A displacement before the buffer, in an array and in a block of the heap; "fixed": in the object.
#include <mpi.h>
#include <stdlib.h>

static struct { int before[4], all[4]; } whole;

static void scatter(int *all, int displacement) {
  int value = 1, count = 1;
  MPI_Scatterv(all, &count, &displacement, MPI_INT, &value, 1, MPI_INT, 0, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int displacement = argc > 1 ? 1 : -1;
  int guarded[8] = {0};
  int *block = malloc(1000 * sizeof *block);
  scatter(guarded, displacement);
  scatter(block, displacement);
  scatter(whole.all, -1); // in the same variable
  scatter(&block[1], -1);
  free(block);
  MPI_Finalize();
}
