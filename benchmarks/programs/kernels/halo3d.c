// SPDX-License-Identifier: MIT
// Halo exchange in three dimensions, one after the other, with subarrays of a periodic grid.
#include "kernel.h"

enum { N = 32, M = N + 2 }; // a process's points in each dimension, without and with the halo

static double (*now)[M][M], (*next)[M][M];
static MPI_Comm grid;
static MPI_Datatype inner[3][2],
    outer[3][2]; // faces (low, high) that are sent, and that are received
static int peers[3][2];

// The face at `index` of a dimension, with the halos of earlier dimensions, which have arrived.
static MPI_Datatype face(int dimension, int index) {
  int sizes[3] = {M, M, M}, subsizes[3], starts[3];
  MPI_Datatype made;
  for (int i = 0; i < 3; i++) {
    subsizes[i] = i == dimension ? 1 : i < dimension ? M : N;
    starts[i] = i == dimension ? index : i < dimension ? 0 : 1;
  }
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &made);
  MPI_Type_commit(&made);
  return made;
}

static void prepare(void) {
  int dims[3] = {0, 0, 0}, periods[3] = {1, 1, 1};
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  for (int i = 0; i < 3; i++) {
    MPI_Cart_shift(grid, i, 1, &peers[i][0], &peers[i][1]);
    inner[i][0] = face(i, 1);
    inner[i][1] = face(i, N);
    outer[i][0] = face(i, 0);
    outer[i][1] = face(i, N + 1);
  }
  now = zeros(M, sizeof *now);
  next = zeros(M, sizeof *next);
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      for (int k = 1; k <= N; k++)
        now[i][j][k] = number((unsigned long)(((rank * N + i) * N + j) * N + k));
}

static void exchange(void) {
  for (int i = 0; i < 3; i++) {
    MPI_Request requests[4];
    MPI_Irecv(now, 1, outer[i][0], peers[i][0], i, grid, &requests[0]);
    MPI_Irecv(now, 1, outer[i][1], peers[i][1], 3 + i, grid, &requests[1]);
    MPI_Isend(now, 1, inner[i][1], peers[i][1], i, grid, &requests[2]);
    MPI_Isend(now, 1, inner[i][0], peers[i][0], 3 + i, grid, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

static double iterate(int iterations) {
  for (int n = 0; n < iterations; n++) {
    exchange();
    for (int i = 1; i <= N; i++)
      for (int j = 1; j <= N; j++)
        for (int k = 1; k <= N; k++)
          next[i][j][k] =
              0.4 * now[i][j][k] + 0.1 * (now[i - 1][j][k] + now[i + 1][j][k] + now[i][j - 1][k] +
                                          now[i][j + 1][k] + now[i][j][k - 1] + now[i][j][k + 1]);
    double(*kept)[M][M] = now;
    now = next;
    next = kept;
  }
  double sum = 0; // each step keeps this sum
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      for (int k = 1; k <= N; k++) sum += now[i][j][k];
  return sum;
}

static void clean_up(void) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) {
      MPI_Type_free(&inner[i][j]);
      MPI_Type_free(&outer[i][j]);
    }
  MPI_Comm_free(&grid);
  free(now);
  free(next);
}
