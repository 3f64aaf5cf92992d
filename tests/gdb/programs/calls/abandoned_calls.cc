// SPDX-License-Identifier: MIT
// An error handler that leaves MPI by an exception.
#include <mpi.h>

#include "../mark.h"

static void handler(MPI_Comm *failed, int *code, ...) {
  (void)failed;
  throw *code;
}

__attribute__((noinline)) static void fail(MPI_Comm comm, int deep) {
  volatile char frame[512];
  int data = 0;
  frame[0] = 0;
  if (deep) fail(comm, deep - 1);
  if (!deep) MPI_Send(&data, 1, MPI_INT, 99, 1, comm);
  frame[1] = 0;
}

int main(int argc, char **argv) {
  MPI_Comm comm;
  MPI_Errhandler errhandler;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(handler, &errhandler);
  MPI_Comm_set_errhandler(comm, errhandler);
  try {
    fail(comm, 20);
  } catch (int) {
    mark();
  }
  MPI_Finalize();
  return 0;
}
