// SPDX-License-Identifier: MIT
// Ends in the way that its argument names, outside of MPI or in a callback of MPI.
#include <assert.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell {
  int id;
  double *values;
};

static int is(const char *how, const char *what) {
  return strcmp(how, what) == 0;
}

static double sum(const struct cell *cell, int count) {
  double found = 0;
  for (int i = 0; i < count; i++) {
    found += cell->values[i];
  }
  return found;
}

static int deep(int n) {
  volatile char room[4096];
  room[0] = (char)n;
  return n < 0 ? 0 : 1 + deep(n + 1) + room[0];
}

static void combine(void *in, void *inout, int *length, MPI_Datatype *type) {
  int *to = NULL;
  (void)type;
  (void)inout;
  for (int i = 0; i < *length; i++) {
    to[i] += ((int *)in)[i];
  }
}

static void end(const char *how, int rank) {
  const char *name = "grid";
  struct cell cell = {7, NULL};
  volatile int parts = 0;
  void (*call)(void) = NULL;
  if (is(how, "load") && rank == 1) printf("%g\n", sum(&cell, 3));
  if (is(how, "all")) printf("%g\n", sum(&cell, 3));
  if (is(how, "divide") && rank == 1) printf("%d\n", 12 / parts);
  if (is(how, "assert") && rank == 1) assert(parts == 4);
  if (is(how, "call") && rank == 1) call();
  if (is(how, "deep") && rank == 1) printf("%d\n", deep(0));
  if (is(how, "exit") && rank == 1) exit(strlen(name) > 3 ? 3 : 4);
}

int main(int argc, char **argv) {
  int rank, one = 1, all = 0, number = 5;
  MPI_Op op;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(combine, 1, &op);
  if (is(argv[1], "op")) MPI_Reduce_local(&one, &all, 1, MPI_INT, op);
  MPI_Irecv(&number, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  end(argv[1], rank);
  MPI_Send(&one, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Op_free(&op);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
