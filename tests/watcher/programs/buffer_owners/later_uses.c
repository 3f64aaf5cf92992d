// SPDX-License-Identifier: MIT
// A source line that passes right buffers many times. With an argument it then passes a wrong one:
// - "count": more entries than the variable has
// - "variable": a smaller variable
// - "type": another datatype
#include <mpi.h>
#include <string.h>

enum { N = 4, ROUNDS = 6 };
static double first[N], second[N], third[N], fourth[N];
static int small[N];

static void share(double *buffer, int count, MPI_Datatype type) {
  MPI_Bcast(buffer, count, type, 0, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  const char *wrong = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  for (int round = 0; round < ROUNDS; round++) {
    share(first, N, MPI_DOUBLE);
    share(second, N, MPI_DOUBLE);
    share(third, N, MPI_DOUBLE);
  }
  if (!strcmp(wrong, "count")) share(second, N + 1, MPI_DOUBLE);
  if (!strcmp(wrong, "variable")) share((double *)small, N, MPI_DOUBLE);
  if (!strcmp(wrong, "type")) share(third, N, MPI_FLOAT);
  share(fourth, N, MPI_DOUBLE);
  MPI_Finalize();
}
