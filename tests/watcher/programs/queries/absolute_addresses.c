// SPDX-License-Identifier: MIT
// A datatype with the addresses of two variables is used with the first one as the buffer; "fixed":
// with MPI_BOTTOM.
#include <mpi.h>

static double first;
static int second;

int main(int argc, char **argv) {
  int lengths[2] = {1, 1};
  MPI_Aint at[2];
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, both;
  MPI_Init(&argc, &argv);
  MPI_Get_address(&first, &at[0]);
  MPI_Get_address(&second, &at[1]);
  MPI_Type_create_struct(2, lengths, at, types, &both);
  MPI_Type_commit(&both);
  MPI_Bcast(argc > 1 ? MPI_BOTTOM : &first, 1, both, 0, MPI_COMM_SELF);
  MPI_Type_free(&both);
  MPI_Finalize();
}
