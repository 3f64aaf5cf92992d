// SPDX-License-Identifier: MIT
// A process sends itself messages in a loop with exceptions, on a communicator that it frees.
#include <mpi.h>
int main(int argc, char **argv) {
  int here[8] = {0}, there[8];
  MPI_Comm twin;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &twin);
  for (int step = 0; step < 1000; step++) {
    MPI_Sendrecv(here, 3, MPI_INT, 0, 5, there, 4, MPI_INT, 0, 5, twin, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, here, 2, MPI_INT, MPI_MAX, MPI_COMM_SELF);
    if (step % 400 == 399) MPI_Bcast(here, step / 400, MPI_INT, 0, MPI_COMM_SELF);
  }
  MPI_Comm_free(&twin);
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Finalize();
}
