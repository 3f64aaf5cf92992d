// SPDX-License-Identifier: MIT
// One line stores to a send buffer with more instructions than the table of unreported accesses can
// hold. Later another line stores there.
#include <mpi.h>
#include <stdlib.h>

enum { N = 72 };
#define STORE(I) block[I] = 1;
#define STORES(I) STORE(I) STORE(I + 1) STORE(I + 2) STORE(I + 3) STORE(I + 4) STORE(I + 5)
#define MANY(I) STORES(I) STORES(I + 6) STORES(I + 12) STORES(I + 18)

// clang-format off
__attribute__((noinline)) static void first(volatile double *block) { MANY(0) MANY(24) MANY(48) }
__attribute__((noinline)) static void second(volatile double *block) { block[5] = 2; }
// clang-format on

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double *block = calloc(N, sizeof *block), in[N];
  for (int i = 0; i < 2; i++) {
    MPI_Request request;
    MPI_Issend(block, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    if (i == 0 && argc > 1) first(block);
    if (i == 1 && argc > 1) second(block);
    MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(block);
  MPI_Finalize();
  return 0;
}
