// SPDX-License-Identifier: MIT
// Rank 0 sends the second column of a matrix to rank 1. It hangs, and when it no longer hangs, the
// column is wrong: docs/tutorials/datatype.md finds both mistakes with mpipp.
#include <mpi.h>
#include <stdio.h>

enum { N = 4 };

static double matrix[N][N];
static double column[N];

int main(int argc, char **argv) {
  int rank;
  MPI_Datatype type;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) matrix[i][j] = 10 * i + j;
  }
  MPI_Type_vector(N, 1, N + 1, MPI_DOUBLE, &type);
  MPI_Type_set_name(type, "column");
  MPI_Type_commit(&type);

  if (rank == 0) {
    MPI_Ssend(&matrix[0][1], 1, type, 1, 17, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(column, N, MPI_DOUBLE, 0, 71, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%g %g %g %g\n", column[0], column[1], column[2], column[3]);
  }
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}
