// SPDX-License-Identifier: MIT
// Nonblocking or persistent collective calls, on all processes. With an argument, rank 1 passes
// another operation or type; the calls complete nevertheless, and the program continues.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 10 };

static MPI_Comm world;
static int rank, size;

static void nonblocking(int differs) {
  int values[64] = {0}, sums[64];
  MPI_Request requests[3];
  MPI_Op op = differs ? MPI_MAX : MPI_SUM;
  MPI_Ibarrier(world, &requests[0]);
  MPI_Iallreduce(values, sums, 1, MPI_INT, op, world, &requests[1]);
  MPI_Igather(&rank, 1, MPI_INT, values + 1, 1, MPI_INT, size - 1, world, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static void persistent(int differs) {
#if MPI_VERSION >= 4
  int value = rank, sum;
  MPI_Request request;
  MPI_Op op = differs ? MPI_MAX : MPI_SUM;
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, op, world, MPI_INFO_NULL, &request);
  for (int i = 0; i < 3; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
#endif
  (void)differs;
}

// Packed data may have different types, so this is correct.
static void packed(void) {
  char buffer[64];
  int value = rank, at = 0;
  MPI_Request request;
  MPI_Pack(&value, 1, MPI_INT, buffer, sizeof buffer, &at, world);
  if (rank)
    MPI_Ibcast(&value, 1, MPI_INT, 0, world, &request);
  else
    MPI_Ibcast(buffer, at, MPI_PACKED, 0, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Ranks 0 and 1 have two edges in each direction: correct edges, or edges with an error whose sum
// has the same value.
static void edges(int count) {
  int other[2] = {!rank, !rank}, sent[2] = {count == 2 ? 4 : 1, 1}, received[2] = {1, 4};
  int from[2] = {0}, into[2];
  MPI_Aint places[2] = {0, 4};
  MPI_Datatype given[2] = {count == 2 ? MPI_PACKED : MPI_INT, MPI_INT};
  MPI_Datatype taken[2] = {MPI_FLOAT, MPI_PACKED};
  MPI_Request request;
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(world, count, other, MPI_UNWEIGHTED, count, other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  MPI_Ineighbor_alltoallw(from, sent, places, given, into, received, places, taken, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(world); // the sum has arrived
  MPI_Comm_free(&comm);
}

// The first process waits for no other: as root, it continues and lets the others start.
static void without_waiting(void) {
  int value = rank, go = 0;
  MPI_Request request;
  if (rank) MPI_Recv(&go, 1, MPI_INT, rank - 1, 0, world, MPI_STATUS_IGNORE);
  MPI_Ibcast(&value, 1, MPI_INT, 0, world, &request);
  if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank + 1 < size) MPI_Send(&go, 1, MPI_INT, rank + 1, 0, world);
  if (rank) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void duplicated(void) {
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Comm_idup(world, &comm, &requests[0]);
  MPI_Ibarrier(world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Ibarrier(comm, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  for (int i = 0; i < TIMES; i++) {
    nonblocking(0);
    persistent(0);
    packed();
    without_waiting();
    duplicated();
  }
  nonblocking(rank == 1 && strcmp(how, "nonblocking") == 0);
  persistent(rank == 1 && strcmp(how, "persistent") == 0);
  edges(2);
  if (strcmp(how, "edges") == 0) edges(1);
  MPI_Barrier(world);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
