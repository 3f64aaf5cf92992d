// SPDX-License-Identifier: MIT
// Two communicators without names, with the same processes, which call on them in different
// orders.
#include <mpi.h>

int main(int argc, char **argv) {
  int rank, value = 0;
  MPI_Comm comms[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comms[1]);
  for (int i = 0; i < 2; i++) MPI_Bcast(&value, 1, MPI_INT, 0, comms[rank ? !i : i]);
  for (int i = 0; i < 2; i++) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
}
