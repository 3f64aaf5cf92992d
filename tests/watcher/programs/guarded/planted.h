// SPDX-License-Identifier: MIT
// For guarded.c and kinds.c: errors that process 0 plants in wrong runs, and conditions that must
// hold in all runs.
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
