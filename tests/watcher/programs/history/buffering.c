// SPDX-License-Identifier: MIT
// Messages that need a buffer, or a collective call that does not synchronize. "right": programs
// that need neither, one after the other.
#include <mpi.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE
#define IS(NAME) (strcmp(name, NAME) == 0)
static int rank, size, other, out = 1, in, data, two[2];
static MPI_Request request, both[2];

static void send(int to) {
  MPI_Send(&out, 1, MPI_INT, to, 0, WORLD);
}

static void receive(int from) {
  MPI_Recv(&in, 1, MPI_INT, from, 0, WORLD, IGNORE);
}

static void bcast(void) {
  MPI_Bcast(&data, 1, MPI_INT, 0, WORLD);
}

static void wrong(const char *name) {
  if (IS("bcast-send")) {
    if (rank) receive(0);
    bcast();
    if (!rank) send(1);
  } else if (IS("send-barrier")) {
    if (!rank) send(1);
    MPI_Barrier(WORLD);
    if (rank) receive(0);
  } else if (IS("head-to-head")) {
    send(other);
    receive(other);
  } else if (IS("wait-first")) {
    MPI_Isend(&out, 1, MPI_INT, other, 0, WORLD, &request);
    MPI_Wait(&request, IGNORE);
    receive(other);
  } else if (IS("itself")) {
    send(rank);
    receive(rank);
  } else if (IS("any")) {
    if (rank) MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE);
    bcast();
    if (!rank) send(1);
  } else if (IS("persistent")) {
    MPI_Send_init(&out, 1, MPI_INT, other, 0, WORLD, &request);
    for (int i = 0; i < 3; i++) {
      MPI_Start(&request);
      MPI_Wait(&request, IGNORE);
      receive(other);
    }
    MPI_Request_free(&request);
  } else if (IS("after-tests")) {
    MPI_Irecv(&in, 1, MPI_INT, other, 0, WORLD, &request);
    send(other);
    for (int done = 0; !done;) MPI_Test(&request, &done, IGNORE);
    send(other);
    receive(other);
  } else if (IS("master")) { // none of the workers' messages is received before the barrier
    if (rank) send(0);
    MPI_Barrier(WORLD);
    for (int i = 1; !rank && i < size; i++) receive(MPI_ANY_SOURCE);
  }
}

static void exchange(void) {
  MPI_Isend(&out, 1, MPI_INT, other, 0, WORLD, &request); // waits last
  receive(other);
  MPI_Wait(&request, IGNORE);
  MPI_Irecv(&in, 1, MPI_INT, other, 0, WORLD, &request); // receives first
  send(other);
  MPI_Wait(&request, IGNORE);
  MPI_Sendrecv(&out, 1, MPI_INT, other, 0, &in, 1, MPI_INT, other, 0, WORLD, IGNORE);
  MPI_Sendrecv_replace(&in, 1, MPI_INT, other, 0, other, 0, WORLD, IGNORE);
  if (rank) receive(other); // the processes receive in turn
  send(other);
  if (!rank) receive(other);
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
  MPI_Irecv(&in, 1, MPI_INT, rank, 0, WORLD, &request); // a message to itself
  send(rank);
  MPI_Wait(&request, IGNORE);
  MPI_Isend(&out, 1, MPI_INT, other, 0, WORLD, &both[0]);
  MPI_Irecv(&in, 1, MPI_INT, other, 0, WORLD, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Isend(&out, 1, MPI_INT, other, 0, WORLD, &request); // nobody waits for it
  MPI_Request_free(&request);
  receive(other);
  for (int i = 0; i < 1000; i++) {
    if (rank) receive(other);
    send(other);
    if (!rank) receive(other);
  }
}

static void persistent(void) {
  MPI_Send_init(&out, 1, MPI_INT, other, 0, WORLD, &both[0]);
  MPI_Recv_init(&in, 1, MPI_INT, other, 0, WORLD, &both[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

static void modes(void) {
  char memory[1000];
  void *detached;
  int length;
  MPI_Buffer_attach(memory, sizeof memory);
  MPI_Bsend(&out, 1, MPI_INT, other, 0, WORLD);
  receive(other);
  MPI_Buffer_detach(&detached, &length);
  MPI_Irecv(&in, 1, MPI_INT, other, 0, WORLD, &request);
  MPI_Barrier(WORLD);
  MPI_Rsend(&out, 1, MPI_INT, other, 0, WORLD);
  MPI_Wait(&request, IGNORE);
}

static void probes(void) {
  MPI_Status status;
  MPI_Message message;
  if (rank) {
    MPI_Probe(other, MPI_ANY_TAG, WORLD, &status);
    receive(other);
  }
  send(other);
  if (!rank) {
    MPI_Mprobe(MPI_ANY_SOURCE, 0, WORLD, &message, IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, IGNORE);
  }
  MPI_Isend(&out, 1, MPI_INT, other, 0, WORLD, &request);
  for (int there = 0; !there;) MPI_Iprobe(other, 0, WORLD, &there, IGNORE);
  receive(other);
  for (int done = 0; !done;) MPI_Test(&request, &done, IGNORE);
}

static void collectives(void) {
  MPI_Comm part;
  MPI_Ibarrier(WORLD, &request);
  if (rank)
    send(other);
  else
    receive(other);
  MPI_Wait(&request, IGNORE);
  if (rank) MPI_Isend(&out, 1, MPI_INT, other, 0, WORLD, &request);
  bcast();
  if (rank)
    MPI_Wait(&request, IGNORE);
  else
    receive(other);
  MPI_Comm_split(WORLD, rank, 0, &part);
  MPI_Barrier(part);
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Comm_free(&part);
}

static void tests(void) {
  MPI_Status status;
  int index, done;
  if (rank) {
    for (int i = 0; i < 4; i++) send(0);
  } else {
    for (int i = 0; i < 2; i++) MPI_Irecv(&two[i], 1, MPI_INT, other, 0, WORLD, &both[i]);
    for (int i = 0; i < 2; i++) MPI_Waitany(2, both, &index, IGNORE);
    for (int i = 0; i < 2; i++) MPI_Irecv(&two[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &both[i]);
    for (done = 0; !done;) MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 5; i++) {
    if (rank) {
      MPI_Send(&out, 1, MPI_INT, 0, i, WORLD);
      receive(0);
    } else {
      MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
      send(status.MPI_SOURCE);
    }
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  other = 1 - rank;
  if (strcmp(argv[1], "right") == 0) {
    exchange();
    persistent();
    modes();
    probes();
    collectives();
    tests();
  } else {
    wrong(argv[1]);
  }
  MPI_Finalize();
}
