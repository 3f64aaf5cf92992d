// SPDX-License-Identifier: MIT
// One process gives all others a factor, and asks MPI for error codes. With "wrong" rank 1 takes
// itself for that process. docs/tutorials/first-run.md compares the calls before they begin.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank;
  double factor = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) factor = 2.5;
  int root = argc > 1 && rank == 1 ? 1 : 0;
  int code = MPI_Bcast(&factor, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    if (rank == 0) printf("no factor: %s\n", text);
  } else if (rank == 0) {
    printf("all have the factor\n");
  }
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
