// SPDX-License-Identifier: MIT
// Three processes make collective calls on several communicators. In the order "wrong", they would
// wait for each other in a circle if broadcasts synchronized, which broadcasts of a few bytes do
// not. In the order "right", they would not wait.
#include <mpi.h>
#include <string.h>

static int rank, wrong, value, values[2];

static void bcast(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) MPI_Bcast(&value, 1, MPI_INT, 0, comm);
}

// Creates a communicator of two processes, the first of which is the root.
static MPI_Comm pair(int first, int second) {
  MPI_Comm made;
  int colour = rank == first || rank == second ? 0 : MPI_UNDEFINED;
  MPI_Comm_split(MPI_COMM_WORLD, colour, rank == second, &made);
  return made;
}

static void crossed(MPI_Comm other) {
  for (int i = 0; i < 3; i++) {
    if (wrong && rank == 1) {
      bcast(other);
      bcast(MPI_COMM_WORLD);
    } else {
      bcast(MPI_COMM_WORLD);
      bcast(other);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// No process waits in the first of these calls.
static void crossed_nonblocking(MPI_Comm other) {
  MPI_Request requests[2];
  MPI_Comm comms[2] = {rank == 1 ? other : MPI_COMM_WORLD, rank == 1 ? MPI_COMM_WORLD : other};
  for (int i = 0; i < 2; i++) MPI_Ibcast(&values[i], 1, MPI_INT, 0, comms[i], &requests[i]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// Each process waits for the next, as in an example of MPI-4.1, section 6.14.
static void ring(MPI_Comm comms[3]) {
  MPI_Comm first = comms[rank], second = comms[(rank + 2) % 3];
  if (!wrong && rank == 2) first = comms[1], second = comms[2];
  bcast(first);
  bcast(second);
}

// A long loop that alternates between two communicators.
static void alternating(MPI_Comm other) {
  for (int i = 0; i < 100; i++) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, other);
  }
}

int main(int argc, char **argv) {
  MPI_Comm other, comms[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wrong = strcmp(argv[1], "wrong") == 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_name(other, "other");
  for (int i = 0; i < 3; i++) comms[i] = pair(i, (i + 1) % 3);
  crossed(other);
  crossed_nonblocking(other);
  ring(comms);
  alternating(other);
  for (int i = 0; i < 3; i++)
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
  MPI_Comm_free(&other);
  MPI_Finalize();
}
