// SPDX-License-Identifier: MIT
// Halo exchange of columns: Jacobi steps on 8 MB in each process. A row is two pages long, so a
// column has one element in every second page.
#include "kernel.h"

enum { N = 1024 }; // number of rows, and of points in a row without its two borders

static double (*now)[N + 2], (*next)[N + 2];
static int west, east;
static MPI_Datatype column;

static void prepare(void) {
  west = (rank + size - 1) % size;
  east = (rank + 1) % size;
  now = zeros(N, sizeof *now);
  next = zeros(N, sizeof *next);
  for (int i = 0; i < N; i++)
    for (int j = 1; j <= N; j++) now[i][j] = number((unsigned long)((rank * N + i) * N + j));
  MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
}

static void exchange(void) {
  MPI_Request requests[4];
  MPI_Irecv(&now[0][0], 1, column, west, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&now[0][N + 1], 1, column, east, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&now[0][N], 1, column, east, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&now[0][1], 1, column, west, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double iterate(int iterations) {
  for (int n = 0; n < iterations; n++) {
    exchange();
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j <= N; j++)
        next[i][j] = 0.5 * now[i][j] +
                     0.125 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
    double(*kept)[N + 2] = now;
    now = next;
    next = kept;
  }
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 1; j <= N; j++) sum += now[i][j];
  return sum;
}

static void clean_up(void) {
  MPI_Type_free(&column);
  free(now);
  free(next);
}
