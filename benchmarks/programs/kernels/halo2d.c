// SPDX-License-Identifier: MIT
// Halo exchange in two dimensions: Jacobi steps on a periodic grid, whose columns are a vector.
#include "kernel.h"

enum { N = 160 }; // points of a process in each dimension

static double (*now)[N + 2], (*next)[N + 2];
static MPI_Comm grid;
static MPI_Datatype column;
static int north, south, west, east;

static void prepare(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1};
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  MPI_Cart_shift(grid, 1, 1, &west, &east);
  MPI_Type_vector(N, 1, N + 2, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  now = zeros(N + 2, sizeof *now);
  next = zeros(N + 2, sizeof *next);
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++) now[i][j] = number((unsigned long)((rank * N + i) * N + j));
}

static void exchange(void) {
  MPI_Request requests[8];
  MPI_Irecv(&now[0][1], N, MPI_DOUBLE, north, 1, grid, &requests[0]);
  MPI_Irecv(&now[N + 1][1], N, MPI_DOUBLE, south, 2, grid, &requests[1]);
  MPI_Irecv(&now[1][0], 1, column, west, 3, grid, &requests[2]);
  MPI_Irecv(&now[1][N + 1], 1, column, east, 4, grid, &requests[3]);
  MPI_Isend(&now[N][1], N, MPI_DOUBLE, south, 1, grid, &requests[4]);
  MPI_Isend(&now[1][1], N, MPI_DOUBLE, north, 2, grid, &requests[5]);
  MPI_Isend(&now[1][N], 1, column, east, 3, grid, &requests[6]);
  MPI_Isend(&now[1][1], 1, column, west, 4, grid, &requests[7]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static double iterate(int iterations) {
  for (int n = 0; n < iterations; n++) {
    exchange();
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        next[i][j] = 0.5 * now[i][j] +
                     0.125 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
    double(*kept)[N + 2] = now;
    now = next;
    next = kept;
  }
  double sum = 0; // each step keeps this sum
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++) sum += now[i][j];
  return sum;
}

static void clean_up(void) {
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  free(now);
  free(next);
}
