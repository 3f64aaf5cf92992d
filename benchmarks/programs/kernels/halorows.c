// SPDX-License-Identifier: MIT
// Halo exchange of rows: Jacobi steps on 8 MB in each process. A row is two pages long.
#include "kernel.h"

#ifndef N
#define N 1024 // number of rows in a process, and of points in a row
#endif

static double (*now)[N], (*next)[N];
static int north, south;

static void prepare(void) {
  north = (rank + size - 1) % size;
  south = (rank + 1) % size;
  now = zeros(N + 2, sizeof *now);
  next = zeros(N + 2, sizeof *next);
  for (int i = 1; i <= N; i++)
    for (int j = 0; j < N; j++) now[i][j] = number((unsigned long)((rank * N + i) * N + j));
}

static void exchange(void) {
  MPI_Request requests[4];
  MPI_Irecv(now[0], N, MPI_DOUBLE, north, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(now[N + 1], N, MPI_DOUBLE, south, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(now[N], N, MPI_DOUBLE, south, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(now[1], N, MPI_DOUBLE, north, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double iterate(int iterations) {
  for (int n = 0; n < iterations; n++) {
    exchange();
    for (int i = 1; i <= N; i++)
      for (int j = 1; j < N - 1; j++)
        next[i][j] = 0.5 * now[i][j] +
                     0.125 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
    double(*kept)[N] = now;
    now = next;
    next = kept;
  }
  double sum = 0;
  for (int i = 1; i <= N; i++)
    for (int j = 0; j < N; j++) sum += now[i][j];
  return sum;
}

static void clean_up(void) {
  free(now);
  free(next);
}
