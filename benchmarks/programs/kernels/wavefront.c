// SPDX-License-Identifier: MIT
// A pipeline with wavefronts: a process computes a plane after its north and west neighbors.
#include "kernel.h"

// N: points of a plane in each dimension. VALUES: numbers of each point.
enum { N = 48, PLANES = 48, VALUES = 5 };

static double (*cells)[N + 1][N + 1][VALUES]; // planes, whose first row and column are the halo
static MPI_Comm grid;
static MPI_Datatype row, column;
static int north, south, west, east;

static void prepare(void) {
  int dims[2] = {0, 0}, periods[2] = {0, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &north, &south);
  MPI_Cart_shift(grid, 1, 1, &west, &east);
  MPI_Type_contiguous(N * VALUES, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  MPI_Type_vector(N, VALUES, (N + 1) * VALUES, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  cells = zeros(PLANES, sizeof *cells);
}

static void compute(double plane[N + 1][N + 1][VALUES], int n) {
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++)
      for (int k = 0; k < VALUES; k++)
        plane[i][j][k] = 0.4 * (plane[i - 1][j][k] + plane[i][j - 1][k]) +
                         0.2 * plane[i - 1][j - 1][(k + 1) % VALUES] + (double)(n % 7);
}

static double iterate(int iterations) {
  for (int n = 0; n < iterations; n++)
    for (int k = 0; k < PLANES; k++) {
      MPI_Recv(cells[k][0][1], 1, row, north, k, grid, MPI_STATUS_IGNORE);
      MPI_Recv(cells[k][1][0], 1, column, west, k, grid, MPI_STATUS_IGNORE);
      compute(cells[k], n);
      MPI_Send(cells[k][N][1], 1, row, south, k, grid);
      MPI_Send(cells[k][1][N], 1, column, east, k, grid);
    }
  double sum = 0;
  for (int k = 0; k < PLANES; k++) sum += cells[k][N][N][0];
  return sum;
}

static void clean_up(void) {
  MPI_Type_free(&row);
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  free(cells);
}
