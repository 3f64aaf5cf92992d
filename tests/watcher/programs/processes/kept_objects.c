// SPDX-License-Identifier: MIT
// Each rank keeps a datatype, and an info object that it may still free after MPI_Finalize.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Datatype column;
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(3, 2, 4, MPI_INT, &column);
  MPI_Info_create(&info);
  MPI_Finalize();
  return 0;
}
