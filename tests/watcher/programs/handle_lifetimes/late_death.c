// SPDX-License-Identifier: MIT
// An exit handler crashes after MPI_Finalize; "fixed": it is not registered.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static volatile int *table;

static void at_exit(void) {
  *table = 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2 || strcmp(argv[1], "fixed") != 0) atexit(at_exit);
  MPI_Finalize();
  return 0;
}
