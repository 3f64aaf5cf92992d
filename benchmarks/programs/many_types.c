// SPDX-License-Identifier: MIT
// A million datatypes that are never freed, for a debugger to show in done().
#include <mpi.h>

enum { TYPES = 1000000 };
static MPI_Datatype types[TYPES];

void done(void) {}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < TYPES; i++) MPI_Type_vector(3, 2, 4 + i, MPI_DOUBLE, &types[i]);
  done();
  MPI_Finalize();
  return 0;
}
