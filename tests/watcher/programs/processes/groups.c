// SPDX-License-Identifier: MIT
// All processes make one call, in which each gets a communicator of its own.
#include <mpi.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Group all, own;
  MPI_Comm made;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &rank, &own);
  MPI_Comm_create(MPI_COMM_WORLD, own, &made);
  MPI_Comm_free(&made);
  MPI_Group_free(&own);
  MPI_Group_free(&all);
  MPI_Finalize();
}
