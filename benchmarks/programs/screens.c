// SPDX-License-Identifier: MIT
// The cost of the call filter for one call. Usage: `screens answers`, in a run with --stop, prints
// the seconds of a call with a query: the median of ROUNDS different calls. `screens pending COUNT`
// prints the seconds of the fastest MPI_Reduce_local on contiguous memory, and of the fastest
// MPI_Pack of a column. Meanwhile COUNT receives of single elements are pending, and as many of
// neighboring columns.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 64, ROWS = 4200, ROUNDS = 64, FEW_ROWS = 32, MANY_ROUNDS = 1000 };

static int compare(const void *one, const void *other) {
  double first = *(const double *)one, second = *(const double *)other;
  return (first > second) - (first < second);
}

// The columns have more blocks than the call filter visits.
static void answers(void) {
  static double matrix[ROWS + ROUNDS][COLUMNS], times[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Datatype column;
    MPI_Type_vector(ROWS + i, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    double start = MPI_Wtime();
    MPI_Sendrecv(&matrix[0][1], 1, column, 0, 1, &matrix[0][3], 1, column, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    times[i] = MPI_Wtime() - start;
    MPI_Type_free(&column);
  }
  qsort(times, ROUNDS, sizeof *times, compare);
  printf("%.9f\n", times[ROUNDS / 2]);
}

static void pending(int count) {
  double *matrix = calloc((size_t)FEW_ROWS * (size_t)(count + 1), sizeof *matrix);
  double *single = calloc((size_t)count, sizeof *single);
  MPI_Request *requests = calloc(2 * (size_t)count, sizeof(MPI_Request));
  double in[4] = {0}, out[4] = {0}, packed[FEW_ROWS], least[2] = {1e9, 1e9};
  MPI_Datatype column;
  MPI_Type_vector(FEW_ROWS, 1, count + 1, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < count; i++) {
    MPI_Irecv(&matrix[i], 1, column, 0, 1, MPI_COMM_SELF, &requests[2 * i]);
    MPI_Irecv(&single[i], 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &requests[2 * i + 1]);
  }
  for (int i = 0; i < MANY_ROUNDS; i++) {
    int used = 0;
    double start = MPI_Wtime();
    MPI_Reduce_local(in, out, 4, MPI_DOUBLE, MPI_SUM);
    double middle = MPI_Wtime();
    MPI_Pack(&matrix[count], 1, column, packed, sizeof packed, &used, MPI_COMM_SELF);
    double end = MPI_Wtime();
    if (middle - start < least[0]) least[0] = middle - start;
    if (end - middle < least[1]) least[1] = end - middle;
  }
  for (int i = 0; i < count; i++) {
    MPI_Send(in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
    MPI_Send(in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF);
  }
  MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&column);
  printf("%.9f %.9f\n", least[0], least[1]);
  free(matrix);
  free(single);
  free(requests);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "answers") == 0) answers();
  if (argc > 2 && strcmp(argv[1], "pending") == 0) pending(atoi(argv[2]) / 2);
  MPI_Finalize();
  return 0;
}
