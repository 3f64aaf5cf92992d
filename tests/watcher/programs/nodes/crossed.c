// SPDX-License-Identifier: MIT
// Collective calls on two communicators; the second lacks the last process. With "wrong" the third
// and later processes swap their 101st calls on the two. With "right" they keep the order, and only
// swap nonblocking calls.
#include <mpi.h>
#include <string.h>

static int rank, value, values[2];

static void bcast(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) MPI_Bcast(&value, 1, MPI_INT, 0, comm);
}

static void both(const MPI_Comm comms[2], int first) {
  bcast(comms[first]);
  bcast(comms[!first]);
}

static void both_nonblocking(const MPI_Comm comms[2], int first) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < 2; i++) {
    MPI_Comm comm = comms[i ? !first : first];
    if (comm != MPI_COMM_NULL) MPI_Ibcast(&values[i], 1, MPI_INT, 0, comm, &requests[i]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Comm comms[2] = {MPI_COMM_WORLD};
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int wrong = strcmp(argv[1], "wrong") == 0 && rank >= 2;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size - 1 ? 0 : MPI_UNDEFINED, 0, &comms[1]);
  if (comms[1] != MPI_COMM_NULL) MPI_Comm_set_name(comms[1], "some");
  for (int i = 0; i < 100; i++) both(comms, 0);
  both(comms, wrong);
  both_nonblocking(comms, rank >= 2);
  for (int i = 0; i < 100; i++) both(comms, 0);
  if (comms[1] != MPI_COMM_NULL) MPI_Comm_free(&comms[1]);
  MPI_Finalize();
}
