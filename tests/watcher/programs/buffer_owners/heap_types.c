// SPDX-License-Identifier: MIT
// Heap blocks that are passed with a datatype that does not fit the pointer's target. "fixed": all
// datatypes fit.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void send_block(float *values, int n, MPI_Datatype type) {
  MPI_Bcast(values, n, type, 0, MPI_COMM_SELF);
}

static void send_any(void *data, int n, MPI_Datatype type) {
  MPI_Bcast(data, n, type, 0, MPI_COMM_SELF);
}

static double **rows_of(int n) {
  double *cells = calloc(n * n, sizeof *cells), **rows = malloc(n * n * sizeof *rows);
  for (int i = 0; i < n; i++) rows[i] = cells + i * n;
  return rows;
}

// Each pointer still has the address of a block that has another type now.
static void reuse(int n) {
  int *counts = malloc(n * sizeof(double));
  const int *old = counts;
  free(counts);
  double *values = malloc(n * sizeof *values);
  memset(values, 0, n * sizeof *values);
  MPI_Bcast(values, n, MPI_DOUBLE, 0, MPI_COMM_SELF);
  send_any(values, n, MPI_DOUBLE);
  free(values);
  (void)old;
}

// The parameter of MPI_Send is a pointer to void, too.
static void send_table(int is_fixed) {
  float table[8] = {0};
  double others[4] = {0}, received[4];
  MPI_Request request;
  MPI_Irecv(received, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  MPI_Send(is_fixed ? (void *)others : table, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  const int is_fixed = argc > 1 && !strcmp(argv[1], "fixed"), n = 8;
  float *values = calloc(2 * n, sizeof *values);
  double **rows = rows_of(n);
  double *pairs = calloc(2 * n, sizeof *pairs);
  MPI_Init(&argc, &argv);
  send_block(values, n, is_fixed ? MPI_FLOAT : MPI_DOUBLE);
  MPI_Bcast(is_fixed ? (void *)rows[0] : rows, n * n, MPI_DOUBLE, 0, MPI_COMM_SELF);
  MPI_Bcast(pairs, n, MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_SELF);
  send_any(values, n, MPI_DOUBLE); // a pointer to void shows no type
  reuse(n);
  send_table(is_fixed);
  free(values);
  free(rows[0]);
  free(rows);
  free(pairs);
  MPI_Finalize();
}
