// SPDX-License-Identifier: MIT
// The last process receives fewer elements than the root broadcasts: MPI ends the program.
#include <mpi.h>

int main(int argc, char **argv) {
  int rank, size, values[4] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast(values, rank == size - 1 ? 3 : 4, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
