// SPDX-License-Identifier: MIT
#include <mpi.h>
#include <stdio.h>

struct point {
  double x;
  int tags[3];
  struct point *next;
};
static int calls;

static void mark(int rank, int step) {
  calls += rank + step;
}
// Ranks step together. At the end, only the last rank sends, and rank 0 waits for another tag.
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct point end = {0.5, {1, 2, 3}, 0}, first = {1.5, {4, 5, 6}, &end};
  double field[3][4] = {{rank}};
  MPI_Datatype column;
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int step = 0; step < 4; step++) {
    mark(rank, step);
    first.x += field[0][0];
  }
  if (argc > 1) {
    if (rank == 0) MPI_Recv(field, 1, column, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Recv(field, 1, column, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  printf("x %g\n", first.x + size);
  MPI_Type_free(&column);
  MPI_Finalize();
  return rank ? 0 : 3;
}
