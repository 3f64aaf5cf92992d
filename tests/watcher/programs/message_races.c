// SPDX-License-Identifier: MIT
// Rank 0 takes a message of rank 1 and then one of rank 2, in every way of receiving. Rank 1 sends
// before rank 2, but MPI does not order the two messages. With other words than "race" the two
// messages are ordered, or cannot be confused.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;
static MPI_Comm comm, other; // of the first message, and of the second one

static void first(const char *way) {
  int in = 0, flag = 0;
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  if (!strcmp(way, "recv") || !strcmp(way, "intercomm")) {
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &status);
  } else if (!strcmp(way, "any-tag")) {
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  } else if (!strcmp(way, "irecv")) {
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (!strcmp(way, "persistent")) {
    MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else if (!strcmp(way, "sendrecv")) {
    MPI_Sendrecv(&in, 1, MPI_INT, MPI_PROC_NULL, 9, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm,
                 MPI_STATUS_IGNORE);
  } else if (!strcmp(way, "probe")) {
    MPI_Probe(MPI_ANY_SOURCE, 1, comm, &status);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 1, comm, MPI_STATUS_IGNORE);
  } else if (!strcmp(way, "probe-any")) {
    MPI_Probe(MPI_ANY_SOURCE, 1, comm, &status);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
  } else if (!strcmp(way, "iprobe")) {
    while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
  } else if (!strcmp(way, "mprobe")) {
    MPI_Mprobe(MPI_ANY_SOURCE, 1, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  } else if (!strcmp(way, "improbe")) {
    while (!flag) MPI_Improbe(MPI_ANY_SOURCE, 1, comm, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&in, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void second(const char *way) {
  int in;
  (void)way;
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
}

// Rank 2 sends only when rank `by` has got here.
static void after(int by) {
  int go = 0;
  if (rank == by) MPI_Send(&go, 1, MPI_INT, 2, 7, MPI_COMM_WORLD);
  if (rank == 2) MPI_Recv(&go, 1, MPI_INT, by, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(const char *way, const char *order) {
  int is_synchronous = !strcmp(order, "ssend"), go = 0;
  int tag = strcmp(way, "any-tag") ? 1 : 2;
  if (rank == 1) (is_synchronous ? MPI_Ssend : MPI_Send)(&rank, 1, MPI_INT, 0, 1, comm);
  if (!strcmp(order, "message")) {
    if (rank == 0) first(way);
    after(0);
  } else if (!strcmp(order, "barrier")) {
    if (rank == 0) first(way);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (!strcmp(order, "bcast")) {
    if (rank == 0) first(way);
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    if (rank > 0) after(1);
    if (rank == 0) first(way);
  }
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, tag, other);
  if (rank == 0) second(way);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void run(const char *way, const char *order) {
  MPI_Comm part = MPI_COMM_NULL, separate;
  comm = MPI_COMM_WORLD;
  if (!strcmp(way, "intercomm")) {
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank ? 0 : 1, 3, &comm);
  }
  MPI_Comm_dup(comm, &separate);
  other = strcmp(order, "comm") ? comm : separate;
  exchange(way, order);
  MPI_Comm_free(&separate);
  if (comm != MPI_COMM_WORLD) {
    MPI_Comm_free(&comm);
    MPI_Comm_free(&part);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int way = 2; way < argc; way++) run(argv[way], argv[1]);
  MPI_Finalize();
  return 0;
}
