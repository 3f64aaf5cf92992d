// SPDX-License-Identifier: MIT
// Statuses, and many communicators that are created at one place.
#include <mpi.h>

void mark(void) {}

int main(int argc, char **argv) {
  int out[10] = {1}, in[10];
  MPI_Status status, both[2];
  MPI_Comm comms[4];
  MPI_Init(&argc, &argv);
  MPI_Sendrecv(out, 10, MPI_INT, 0, 5, in, 10, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
  status.MPI_ERROR = MPI_SUCCESS;
  for (int i = 0; i < 2; i++) MPI_Recv(in, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, &both[i]);
  both[0].MPI_ERROR = both[1].MPI_ERROR = MPI_SUCCESS;
  for (int i = 0; i < 3; i++) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  MPI_Comm_dup(MPI_COMM_SELF, &comms[3]);
  mark();
  for (int i = 0; i < 4; i++) MPI_Comm_free(&comms[i]);
  MPI_Finalize();
}
