// SPDX-License-Identifier: MIT
// Creates this number of communicators (the argument), and makes a collective call on the last one.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, made = 0, wanted = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Comm *comms = malloc((size_t)wanted * sizeof *comms);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  while (made < wanted && MPI_Comm_dup(MPI_COMM_WORLD, &comms[made]) == MPI_SUCCESS) made++;
  MPI_Barrier(comms[made - 1]);
  if (rank == 0) printf("made %d\n", made);
  while (made > 0) MPI_Comm_free(&comms[--made]);
  free(comms);
  MPI_Finalize();
}
