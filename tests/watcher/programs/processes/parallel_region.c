// SPDX-License-Identifier: MIT
// Calls of the main thread in a parallel region of OpenMP. The level of MPI_Init is
// MPI_THREAD_SINGLE; with "funneled" the program requests MPI_THREAD_FUNNELED. With "behind" it
// calls MPI only after the region.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
  int provided, behind = argc > 1 && strcmp(argv[1], "behind") == 0;
  if (argc > 1 && !behind)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  else
    MPI_Init(&argc, &argv);
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    if (!behind) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
