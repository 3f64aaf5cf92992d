// SPDX-License-Identifier: MIT
// A datatype whose name contains control characters, and a pending receive.
#include <mpi.h>

int main(int argc, char **argv) {
  int number = 7;
  MPI_Datatype odd;
  MPI_Comm loud;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(2, 1, 2, MPI_INT, &odd);
  MPI_Type_set_name(odd, "\033[31m\177\302\233");
  MPI_Comm_dup(MPI_COMM_SELF, &loud);
  MPI_Comm_set_name(loud, "\033[31m\177\302\233");
  MPI_Sendrecv(&number, 1, MPI_INT, 0, 1, &number, 0, MPI_INT, 0, 2, loud, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
