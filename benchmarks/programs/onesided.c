// SPDX-License-Identifier: MIT
// One-sided kernels: a stencil with put and fence, a transpose with get and lock_all, counters with
// fetch_and_op. Arguments: the kernel and its iterations. Prints seconds and a sum.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static double *window;
static MPI_Win win;

static void make(size_t numbers) {
  MPI_Win_allocate((MPI_Aint)(numbers * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &window, &win);
  for (size_t i = 0; i < numbers; i++) window[i] = (double)(rank + 1) / (double)(i + 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Computes rows of a plane, with the border rows of the neighbors above and below.
static double stencil(int iterations) {
  enum { ROWS = 256, COLUMNS = 512 };
  make((size_t)(ROWS + 2) * COLUMNS);
  double *next = malloc(sizeof *next * ROWS * COLUMNS), sum = 0;
  int up = (rank + size - 1) % size, down = (rank + 1) % size;
  for (int i = 0; i < iterations; i++) {
    MPI_Win_fence(0, win);
    MPI_Put(window + COLUMNS, COLUMNS, MPI_DOUBLE, up, (ROWS + 1) * COLUMNS, COLUMNS, MPI_DOUBLE,
            win);
    MPI_Put(window + ROWS * COLUMNS, COLUMNS, MPI_DOUBLE, down, 0, COLUMNS, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    for (int row = 0; row < ROWS; row++) {
      const double *at = window + (size_t)(row + 1) * COLUMNS;
      for (int c = 1; c < COLUMNS - 1; c++)
        next[row * COLUMNS + c] =
            0.25 * (at[c - 1] + at[c + 1] + at[c - COLUMNS] + at[c + COLUMNS]);
    }
    memcpy(window + COLUMNS, next, sizeof *next * ROWS * COLUMNS);
  }
  for (int c = 1; c < COLUMNS - 1; c++) sum += window[COLUMNS * 7 + c];
  free(next);
  return sum;
}

// Gets blocks of columns from all processes, and does some work with them.
static double transpose(int iterations) {
  enum { N = 512 };
  int mine = N / size;
  make((size_t)mine * N);
  double *turned = malloc(sizeof *turned * (size_t)mine * N), sum = 0;
  MPI_Datatype block;
  MPI_Type_vector(mine, mine, N, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < iterations; i++) {
    for (int peer = 0; peer < size; peer++)
      MPI_Get(turned + (size_t)peer * mine * mine, mine * mine, MPI_DOUBLE, peer, rank * mine, 1,
              block, win);
    MPI_Win_flush_all(win);
    for (int row = 0; row < N; row++)
      for (int c = row % mine; c < mine; c++) sum += turned[row * mine + c] * turned[c * mine];
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Type_free(&block);
  free(turned);
  return sum;
}

// Takes tickets from shared counters, and does some work for each ticket.
static double counters(int iterations) {
  make(64);
  memset(window, 0, 64 * sizeof *window);
  MPI_Barrier(MPI_COMM_WORLD);
  long one = 1, ticket, all = 0, sum = 0;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < iterations; i++) {
    MPI_Fetch_and_op(&one, &ticket, MPI_LONG, i % size, i % 64, MPI_SUM, win);
    MPI_Win_flush(i % size, win);
    for (int k = 0; k < 4000; k++) all += (k ^ i) % 7;
    sum += 1;
  }
  MPI_Win_unlock_all(win);
  return (double)(sum + all % 2);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int iterations = argc > 2 ? atoi(argv[2]) : 1;
  const char *which = argc > 1 ? argv[1] : "stencil";
  double begun = MPI_Wtime(), sum = 0;
  if (strcmp(which, "stencil") == 0) sum = stencil(iterations);
  if (strcmp(which, "transpose") == 0) sum = transpose(iterations);
  if (strcmp(which, "counters") == 0) sum = counters(iterations);
  double took = MPI_Wtime() - begun, total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
  if (rank == 0) printf("%.6f %.6g\n", took, total);
}
