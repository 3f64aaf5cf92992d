// SPDX-License-Identifier: MIT
// Conjugate gradients for a symmetric band matrix, whose rows are divided among the processes.
#include "kernel.h"

// Rows of a process, and width of the band. HALF: entries on each side of the diagonal.
enum { ROWS = 3500, BAND = 400, HALF = 6, RESTART = 25 };

static double *x, *b, *r, *p, *q; // p with BAND entries of each neighbor around it
static int before, after;

static void prepare(void) {
  before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  after = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  x = zeros(ROWS, sizeof *x);
  b = zeros(ROWS, sizeof *b);
  r = zeros(ROWS, sizeof *r);
  q = zeros(ROWS, sizeof *q);
  p = zeros(ROWS + 2 * BAND, sizeof *p);
  for (int i = 0; i < ROWS; i++) b[i] = number((unsigned long)(rank * ROWS + i));
}

static double sum_of_products(const double *u, const double *v) {
  double part = 0, sum;
  for (int i = 0; i < ROWS; i++) part += u[i] * v[i];
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void multiply(void) {
  MPI_Request requests[2];
  MPI_Irecv(p, BAND, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(p + BAND + ROWS, BAND, MPI_DOUBLE, after, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(p + ROWS, BAND, MPI_DOUBLE, after, 1, MPI_COMM_WORLD);
  MPI_Send(p + BAND, BAND, MPI_DOUBLE, before, 2, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < ROWS; i++) {
    const double *center = p + BAND + i;
    double sum = 3 * center[0];
    for (int j = 1; j <= HALF; j++) {
      int distance = j * j * BAND / (HALF * HALF);
      sum -= 0.2 * (center[-distance] + center[distance]);
    }
    q[i] = sum;
  }
}

static double iterate(int iterations) {
  double rho = 0;
  for (int n = 0; n < iterations; n++) {
    if (n % RESTART == 0) {
      for (int i = 0; i < ROWS; i++) x[i] = 0, r[i] = p[BAND + i] = b[i];
      rho = sum_of_products(r, r);
    }
    multiply();
    double alpha = rho / sum_of_products(p + BAND, q), last = rho;
    for (int i = 0; i < ROWS; i++) x[i] += alpha * p[BAND + i], r[i] -= alpha * q[i];
    rho = sum_of_products(r, r);
    for (int i = 0; i < ROWS; i++) p[BAND + i] = r[i] + rho / last * p[BAND + i];
  }
  double sum = 0;
  for (int i = 0; i < ROWS; i++) sum += x[i];
  return sum;
}

static void clean_up(void) {
  free(x);
  free(b);
  free(r);
  free(q);
  free(p);
}
