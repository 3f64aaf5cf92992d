// SPDX-License-Identifier: MIT
// A parallel region of OpenMP makes a datatype, which the program does not free.
#include <mpi.h>

static MPI_Datatype type;

static void make(void) {
#pragma omp parallel num_threads(1)
  {
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
  }
}

int main(void) {
  MPI_Init(0, 0);
  make();
  MPI_Finalize();
  return 0;
}
