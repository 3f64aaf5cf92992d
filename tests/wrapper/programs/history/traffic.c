// SPDX-License-Identifier: MIT
// A correct program that never rests. In each round all processes draw the same numbers, and do the
// same kind of communication with their own part in it. The test stops it anywhere.
#include "probe.h"

enum { PEERS = 8, LENGTH = 64 };

static int rank, size;
static unsigned long long seed = 1;
static MPI_Comm comms[3];
static MPI_Datatype pair; // {int, double}
static int integers[PEERS][LENGTH], integers_in[PEERS][LENGTH];
static double doubles[PEERS][LENGTH], doubles_in[PEERS][LENGTH];
struct pair {
  int number;
  double value;
} pairs[PEERS][LENGTH], pairs_in[PEERS][LENGTH];

static unsigned draw(unsigned below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % below;
}

// A header with the size of the body, which has the same tag.
static void header_and_body(MPI_Comm comm, int me, int n) {
  int length = 1 + (int)draw(LENGTH), tag = (int)draw(3), received = 0;
  int next = (me + 1) % n, previous = (me + n - 1) % n;
  MPI_Request requests[2];
  MPI_Isend(&length, 1, MPI_INT, next, tag, comm, &requests[0]);
  MPI_Isend(doubles[0], length, MPI_DOUBLE, next, tag, comm, &requests[1]);
  MPI_Recv(&received, 1, MPI_INT, previous, tag, comm, MPI_STATUS_IGNORE);
  MPI_Recv(doubles_in[0], received, MPI_DOUBLE, previous, tag, comm, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// The tag gives the kind of data; the receives are in another order than the sends.
static void by_tag(MPI_Comm comm, int me, int n) {
  int next = (me + 1) % n, previous = (me + n - 1) % n, first = (int)draw(3);
  MPI_Request requests[6];
  for (int i = 0; i < 3; i++) {
    int tag = (first + i) % 3;
    if (tag == 0) MPI_Irecv(integers_in[0], LENGTH, MPI_INT, previous, 0, comm, &requests[i]);
    if (tag == 1) MPI_Irecv(doubles_in[1], LENGTH, MPI_DOUBLE, previous, 1, comm, &requests[i]);
    if (tag == 2) MPI_Irecv(pairs_in[2], LENGTH, pair, previous, 2, comm, &requests[i]);
  }
  MPI_Isend(integers[0], 1 + (int)draw(LENGTH), MPI_INT, next, 0, comm, &requests[3]);
  MPI_Issend(doubles[1], 1 + (int)draw(LENGTH), MPI_DOUBLE, next, 1, comm, &requests[4]);
  MPI_Isend(pairs[2], 1 + (int)draw(LENGTH), pair, next, 2, comm, &requests[5]);
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
}

// Receives messages in the order of arrival; blocking receives return the source.
static void from_any(MPI_Comm comm, int me, int n) {
  MPI_Request request;
  MPI_Status status, *asked = draw(2) ? MPI_STATUS_IGNORE : &status;
  if (me != 0) {
    MPI_Isend(integers[1], 1 + me, MPI_INT, 0, 5, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(doubles[1], me, MPI_DOUBLE, 0, 6, comm);
  }
  for (int i = 1; me == 0 && i < n; i++)
    MPI_Recv(integers_in[1], LENGTH, MPI_INT, MPI_ANY_SOURCE, 5, comm, asked);
  for (int i = 1; me == 0 && i < n; i++)
    MPI_Recv(doubles_in[1], LENGTH, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, asked);
  MPI_Barrier(comm); // the next message must not be received here
}

// A probe shows which message to receive.
static void probed(MPI_Comm comm, int me, int n) {
  int next = (me + 1) % n, previous = (me + n - 1) % n, kind = (int)draw(2), count;
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  if (kind)
    MPI_Isend(integers[2], 1 + (int)draw(LENGTH), MPI_INT, next, 8, comm, &request);
  else
    MPI_Isend(doubles[2], 1 + (int)draw(LENGTH), MPI_DOUBLE, next, 9, comm, &request);
  MPI_Mprobe(previous, MPI_ANY_TAG, comm, &message, &status);
  if (status.MPI_TAG == 8) {
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(integers_in[2], count, MPI_INT, &message, &status);
  } else {
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MPI_Mrecv(doubles_in[2], count, MPI_DOUBLE, &message, &status);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exchanged(MPI_Comm comm, int me, int n) {
  int next = (me + 1) % n, previous = (me + n - 1) % n, count = 1 + (int)draw(LENGTH);
  MPI_Sendrecv(integers[3], count, MPI_INT, next, 10, integers_in[3], LENGTH, MPI_INT, previous, 10,
               comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(doubles[3], count, MPI_DOUBLE, next, 11, previous, 11, comm,
                       MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm, int me, int n) {
  int next = (me + 1) % n, previous = (me + n - 1) % n;
  MPI_Request requests[2];
  MPI_Recv_init(pairs_in[3], LENGTH, pair, previous, 12, comm, &requests[0]);
  MPI_Send_init(pairs[3], LENGTH, pair, next, 12, comm, &requests[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
}

static void collective(MPI_Comm comm, int me, int n) {
  int root = (int)draw((unsigned)n), counts[PEERS], places[PEERS];
  MPI_Request requests[2];
  for (int i = 0; i < n; i++) counts[i] = 1 + i, places[i] = 8 * i;
  switch (draw(12)) {
  case 0:
    MPI_Barrier(comm);
    break;
  case 1:
    MPI_Bcast(pairs[4], 8, pair, root, comm);
    break;
  case 2:
    MPI_Reduce(integers[4], integers_in[4], 8, MPI_INT, MPI_SUM, root, comm);
    break;
  case 3:
    MPI_Allreduce(MPI_IN_PLACE, doubles[4], 8, MPI_DOUBLE, MPI_MAX, comm);
    break;
  case 4:
    MPI_Gatherv(integers[4], 1 + me, MPI_INT, integers_in[4], counts, places, MPI_INT, root, comm);
    break;
  case 5:
    MPI_Scatterv(integers[4], counts, places, MPI_INT, integers_in[4], 1 + me, MPI_INT, root, comm);
    break;
  case 6:
    if (me == root)
      MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, doubles_in[4], 4, MPI_DOUBLE, root, comm);
    else
      MPI_Gather(doubles[4], 4, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, root, comm);
    break;
  case 7:
    MPI_Allgatherv(integers[4], 1 + me, MPI_INT, integers_in[4], counts, places, MPI_INT, comm);
    break;
  case 8:
    MPI_Alltoall(integers[4], 2, MPI_INT, integers_in[4], 2, MPI_INT, comm);
    break;
  case 9: // two operations at a time
    MPI_Iallreduce(integers[5], integers_in[5], 4, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibcast(doubles[5], 4, MPI_DOUBLE, root, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    break;
  case 10:
    for (int i = 0; i < n; i++) counts[i] = 1 + me + i;
    MPI_Alltoallv(integers[4], counts, places, MPI_INT, integers_in[5], counts, places, MPI_INT,
                  comm);
    break;
  default:
    MPI_Reduce_scatter(integers[4], integers_in[4], counts, MPI_INT, MPI_SUM, comm);
  }
}

// After this, only MPI knows which message each receive takes.
static void pending_from_any(MPI_Comm comm, int me) {
  MPI_Request requests[2];
  if (me == 0) {
    MPI_Irecv(integers_in[6], LENGTH, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[0]);
    MPI_Irecv(doubles_in[6], LENGTH, MPI_DOUBLE, 1, 1, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(pairs_in[6], LENGTH, pair, 1, 1, comm, MPI_STATUS_IGNORE);
  } else if (me == 1) {
    MPI_Ssend(integers[6], 1, MPI_INT, 0, 1, comm);
    MPI_Isend(doubles[6], LENGTH, MPI_DOUBLE, 0, 1, comm, &requests[0]);
    MPI_Issend(pairs[6], LENGTH, pair, 0, 1, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void communicators(MPI_Comm comm, int me, int n) {
  MPI_Comm made, half;
  MPI_Comm_dup(comm, &made);
  header_and_body(made, me, n);
  pending_from_any(made, me);
  MPI_Comm_split(made, me % 2, 0, &half);
  int half_rank, half_size;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  header_and_body(half, half_rank, half_size);
  MPI_Comm_free(&half);
  MPI_Comm_free(&made);
}

int main(int argc, char **argv) {
  static void (*const kinds[])(MPI_Comm, int, int) = {
      header_and_body, by_tag, probed, exchanged, persistent, collective, collective, from_any};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8},
                         (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
  MPI_Type_commit(&pair);
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[2]);
  NUMBER(rank);
  look("start");
  for (long round = 0; argc < 2 || round < atol(argv[1]); round++) {
    MPI_Comm comm = comms[draw(3)];
    unsigned kind = draw(sizeof kinds / sizeof *kinds + 1);
    int me;
    MPI_Comm_rank(comm, &me);
    if (kind == sizeof kinds / sizeof *kinds)
      communicators(comm, me, size);
    else
      kinds[kind](comm, me, size);
  }
  MPI_Finalize();
  return 0;
}
