// SPDX-License-Identifier: MIT
// Passes something else where a communicator is needed; the argument selects what.
#include <mpi.h>
#include <stdint.h>
#include <string.h>

int main(int argc, char **argv) {
  static void *zeros[64];
  MPI_Info made;
  MPI_Init(&argc, &argv);
  MPI_Info_create(&made);
  MPI_Comm given = (MPI_Comm)MPI_INT;
  if (!strcmp(argv[1], "info")) given = (MPI_Comm)made;
  if (!strcmp(argv[1], "zeros")) given = (MPI_Comm)(intptr_t)zeros;
  if (!strcmp(argv[1], "address")) given = (MPI_Comm)(intptr_t)16;
  MPI_Barrier(given);
}
