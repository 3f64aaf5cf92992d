// SPDX-License-Identifier: MIT
// Loops over memory. Prints the least milliseconds of each. With the argument "pending", operations
// on a value on the stack and on a buffer in the heap are pending meanwhile.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONG = 4000000, EDGE = 2000, ORDER = 500, ROWS = 250, ROUNDS = 5 };

__attribute__((noinline)) static void triad(double *a, const double *b, const double *c, long n) {
  for (long i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
}

__attribute__((noinline)) static void stencil(double *a, const double *b, long n) {
  for (long i = 1; i < n - 1; i++)
    for (long j = 1; j < n - 1; j++)
      a[i * n + j] =
          0.25 * (b[i * n + j - 1] + b[i * n + j + 1] + b[(i - 1) * n + j] + b[(i + 1) * n + j]);
}

__attribute__((noinline)) static double gather(const double *a, const int *at, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[at[i]];
  return sum;
}

__attribute__((noinline)) static void matmul(double *c, const double *a, const double *b, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double sum = 0;
      for (long k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

__attribute__((noinline)) static void by_rows(double *c, const double *a, const double *b, long n) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv) {
  double *a = calloc(LONG, sizeof *a), *b = malloc(LONG * sizeof *b), *c = malloc(LONG * sizeof *c);
  int *at = malloc(LONG * sizeof *at), value = 0, pending = argc > 1 && !strcmp(argv[1], "pending");
  double *far = malloc(1000 * sizeof *far), least[5], sum = 0;
  MPI_Request requests[2];
  MPI_Init(NULL, NULL);
  for (long i = 0; i < LONG; i++) {
    b[i] = 1.0 / (double)(i + 1);
    c[i] = (double)(i % 7);
    at[i] = (int)(i * 7919 % LONG);
  }
  if (pending) {
    MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(far, 1000, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &requests[1]);
  }
  for (int round = 0; round < ROUNDS; round++) {
    for (int kernel = 0; kernel < 5; kernel++) {
      double start = MPI_Wtime();
      if (kernel == 0) triad(a, b, c, LONG);
      if (kernel == 1) stencil(a, b, EDGE);
      if (kernel == 2) sum += gather(b, at, LONG);
      if (kernel == 3) matmul(a, b, c, ORDER);
      if (kernel == 4) by_rows(a, b, c, ROWS);
      double took = MPI_Wtime() - start;
      if (!round || took < least[kernel]) least[kernel] = took;
    }
  }
  for (int kernel = 0; kernel < 5; kernel++) printf("%.4f ", least[kernel] * 1e3);
  if (pending) {
    double sent[1000] = {0};
    MPI_Send(&pending, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Send(sent, 1000, MPI_DOUBLE, 0, 2, MPI_COMM_SELF);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  printf("%g\n", sum + a[EDGE + 1]);
  return 0;
}
