// SPDX-License-Identifier: MIT
// Of guarded.c and kinds.c: what is planted, in runs that are wrong by process 0 alone, and what
// must be true in all.
#ifndef PLANTED_H
#define PLANTED_H
#include <mpi.h>
#include <stdio.h>

static int rank, other, wrong;
static double sum;

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NEED(x) need(x, __LINE__)

static void store(double *to) {
  if (wrong && rank == 0) *to = 7;
}
static void load(volatile double *from) {
  if (wrong && rank == 0) sum += *from;
}

#endif
