// SPDX-License-Identifier: MIT
// A column of a matrix is received, and another sent; with an argument both are used too early.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, wrong = argc > 1;
  double *in = calloc(40, sizeof *in), out[40] = {0}, sum = 0;
  MPI_Request requests[2];
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(10, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Irecv(in, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  if (wrong) sum += in[8];
  sum += in[9]; // not of the column
  MPI_Isend(out, 1, column, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  if (wrong) out[12] = 1;
  out[13] = 1;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (!wrong) sum += in[8];
  printf("%g\n", sum);
  MPI_Type_free(&column);
  MPI_Finalize();
  free(in);
  return 0;
}
