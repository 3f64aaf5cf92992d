// SPDX-License-Identifier: MIT
// Handles in the wrong language, or in an int; "fixed": they are converted.
#include <mpi.h>
#include <stdint.h>
#include <string.h>

int main(int argc, char **argv) {
  const int is_fixed = argc > 2 && !strcmp(argv[2], "fixed");
  int rank = -1, value = 7;
  MPI_Init(&argc, &argv);
  MPI_Fint fortran = MPI_Comm_c2f(MPI_COMM_SELF);
  MPI_Fint type = MPI_Type_c2f(MPI_INT);
  switch (argv[1][0]) {
  case 'c':
    MPI_Comm_rank(is_fixed ? MPI_Comm_f2c(fortran) : (MPI_Comm)(intptr_t)fortran, &rank);
    break;
  case 't':
    MPI_Bcast(&value, 1, is_fixed ? MPI_Type_f2c(type) : (MPI_Datatype)(intptr_t)type, 0,
              MPI_COMM_SELF);
    break;
  default: {
    int half = (int)(intptr_t)MPI_COMM_SELF;
    MPI_Comm_rank(is_fixed ? MPI_COMM_SELF : (MPI_Comm)(intptr_t)half, &rank);
  }
  }
  MPI_Finalize();
  return 0;
}
