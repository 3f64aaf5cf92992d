// SPDX-License-Identifier: MIT
// Facts that show which calls of several processes belong together: identities, ordinals.
#include "probe.h"

static int rank, size, in[4], out[4];
static MPI_Comm world;

static void creations(void) {
  MPI_Comm again, doubled, idled, half, few, ring, created, between, merged;
  MPI_Group everyone, two;
  MPI_Request request;
  world = MPI_COMM_WORLD;
  MPI_Comm_dup(world, &again);
  MPI_Comm_dup(again, &doubled);
  MPI_Comm_idup(world, &idled, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(world, rank % 2, 0, &half);
  MPI_Comm_split(world, 0, size - rank, &ring);
  MPI_Comm_group(world, &everyone);
  MPI_Group_incl(everyone, 2, (int[]){rank % 2, rank % 2 + 2}, &two);
  // One group creates two communicators, and the other group one: each group counts its own.
  for (int i = 0; i < 1 + (rank % 2 == 0); i++) MPI_Comm_create_group(world, two, 5, &few);
  MPI_Comm_create(world, two, &created);
  MPI_Intercomm_create(half, 0, world, 1 - rank % 2, 7, &between);
  MPI_Intercomm_merge(between, rank % 2, &merged);
  SAY(world);
  SAY(again);
  SAY(doubled);
  SAY(idled);
  SAY(half);
  SAY(ring);
  SAY(few);
  SAY(created);
  SAY(between);
  SAY(merged);
  look("creations");
}

// Messages go from rank 0 to rank 1; other ranks only make the collective calls.
static void messages(void) {
  MPI_Comm comm;
  MPI_Request requests[4];
  MPI_Message message;
  MPI_Comm_dup(world, &comm);
  SAY(comm);
  if (rank == 0) {
    MPI_Send(out, 1, MPI_INT, 1, 3, comm);
    MPI_Send(out, 1, MPI_INT, 1, 4, comm);
    MPI_Send(out, 1, MPI_INT, 1, 3, comm);
    MPI_Send(out, 1, MPI_INT, 1, 4, comm);
    MPI_Send(out, 1, MPI_INT, 1, 4, comm);
    MPI_Send_init(out, 1, MPI_INT, 1, 3, comm, &requests[0]);
    MPI_Issend(out, 1, MPI_INT, 1, 3, comm, &requests[1]);
    MPI_Start(&requests[0]);
    look("sent");
    MPI_Barrier(comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Start(&requests[0]);
    look("sent again");
    MPI_Barrier(comm);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    look("any source");
  } else if (rank == 1) {
    MPI_Recv(in, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
    MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 4, comm, &message, MPI_STATUS_IGNORE);
    SAY(message);
    look("sent");
    MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Recv(in, 1, MPI_INT, 0, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, 0, 3, comm, &requests[0]);
    MPI_Irecv(in, 1, MPI_INT, 0, 3, comm, &requests[1]);
    MPI_Barrier(comm);
    look("sent again");
    MPI_Barrier(comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &requests[0]);
    MPI_Irecv(in, 1, MPI_INT, 0, 4, comm, &requests[1]);
    look("any source");
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    look("sent");
    MPI_Barrier(comm);
    look("sent again");
    MPI_Barrier(comm);
    look("any source");
  }
  MPI_Barrier(world);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  NUMBER(rank);
  creations();
  messages();
  look("end");
  MPI_Finalize();
  return 0;
}
