// SPDX-License-Identifier: MIT
// A communicator that only MPI knows, and that is freed before the watcher checks its call; with
// "zeros" there is no communicator.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
  static char copy[512]; // as Open MPI's own have
  MPI_Init(&argc, &argv);
  if (!strcmp(argv[1], "there")) memcpy(copy, (void *)MPI_COMM_WORLD, sizeof copy);
  MPI_Comm_set_errhandler((MPI_Comm)copy, MPI_ERRORS_RETURN);
  memset(copy, 0, sizeof copy);
  MPI_Finalize();
  return 0;
}
