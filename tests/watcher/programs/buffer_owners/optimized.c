// SPDX-License-Identifier: MIT
// Variables of optimized functions, whose places change. The lines marked "wrong" pass buffers that
// run past their variables. With "fixed" no buffer does.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline)) static void
#define BCAST(P, N, T) MPI_Bcast((void *)(P), N, T, 0, MPI_COMM_SELF)

enum { RED, GREEN };
struct state {
  int step;
  double u[4];
};
static int more;
static double grid[6];

OWN fixed_length(void) {
  double row[10];
  memset(row, 0, sizeof row);
  BCAST(row, 10 + more, MPI_DOUBLE); // wrong
  row[0] = 1;                        // no jump to MPI instead of a call
}

OWN variable_length(int n) {
  float row[n], table[n][3];
  memset(row, 0, sizeof row);
  memset(table, 0, sizeof table);
  BCAST(row, n + more, MPI_FLOAT);       // wrong
  BCAST(table, 3 * n + more, MPI_FLOAT); // wrong
}

OWN members(void) {
  struct state now = {0};
  BCAST(now.u, 4 + more, MPI_DOUBLE); // wrong
  now.step++;
  BCAST(&now.step, 1, more ? MPI_DOUBLE : MPI_INT); // wrong
}

OWN globals(void) {
  BCAST(grid + 4, 2 + more, MPI_DOUBLE); // wrong
  grid[0] = 1;
}

OWN parameter(long total) {
  BCAST(&total, 1, more ? MPI_INT : MPI_LONG); // wrong
}

OWN pointer(void) {
  double *block = calloc(4, sizeof *block);
  BCAST(more ? (void *)&block : block, 1, MPI_DOUBLE); // wrong
  free(block);
}

// Some of the twelve arguments are pushed: the stack pointer is not that of the function's body.
OWN pushed(void) {
  double from[8] = {0}, to[8];
  MPI_Sendrecv(from, 8, MPI_DOUBLE, 0, 0, to, 8, MPI_DOUBLE, 0, 0, MPI_COMM_SELF,
               MPI_STATUS_IGNORE);
}

OWN constants(void) {
  int color = RED;
  double sum = 0;
  BCAST(&color, 1, MPI_INT);
  BCAST(&sum, 1, MPI_DOUBLE);
}

int main(int argc, char **argv) {
  more = argc < 2;
  MPI_Init(&argc, &argv);
  fixed_length();
  variable_length(5);
  members();
  globals();
  parameter(7);
  pointer();
  if (!more) pushed();
  constants();
  MPI_Finalize();
}
