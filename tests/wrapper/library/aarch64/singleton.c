// SPDX-License-Identifier: MIT
// Makes a datatype, and waits for a line of input while the test reads the registry.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  printf("%p %#x\n", dlsym(RTLD_DEFAULT, "mpipp_registry"), (unsigned)column);
  fflush(stdout);
  getchar();
  MPI_Type_free(&column);
  MPI_Finalize();
  puts("end");
  return 0;
}
