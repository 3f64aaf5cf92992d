// SPDX-License-Identifier: MIT
// Latent errors of two processes, selected by arguments. Prints the received data.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 16, MESSAGES = 6 };
static int rank, buffer[N], other[N];

static long sum(const int *values) {
  long found = 0;
  for (int i = 0; i < N; i++) found += values[i];
  return found;
}

static void fill(int with) {
  for (int i = 0; i < N; i++) buffer[i] = with;
}

// The program prepares the next values before the send is complete.
static void changed_too_early(void) {
  MPI_Request request;
  if (rank == 1) {
    fill(1);
    MPI_Isend(buffer, N, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    fill(2);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(buffer, N, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sum %ld\n", sum(buffer));
  }
}

// The buffer of a nonblocking collective operation is changed too early.
static void broadcast_too_early(void) {
  MPI_Request request;
  fill(rank == 1 ? 1 : 0);
  MPI_Ibcast(buffer, N, MPI_INT, 1, MPI_COMM_WORLD, &request);
  if (rank == 1) fill(2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %ld\n", sum(buffer));
}

// The buffers of a persistent send and of one in buffered mode are changed too early.
static void started_too_early(int is_buffered) {
  static char room[sizeof buffer + MPI_BSEND_OVERHEAD];
  void *attached = room;
  int bytes = sizeof room;
  MPI_Request request;
  if (rank == 1) {
    fill(1);
    if (is_buffered) {
      MPI_Buffer_attach(room, sizeof room);
      MPI_Ibsend(buffer, N, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    } else {
      MPI_Send_init(buffer, N, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Start(&request);
    }
    fill(2);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is_buffered)
      MPI_Buffer_detach(&attached, &bytes);
    else
      MPI_Request_free(&request);
  } else {
    MPI_Recv(buffer, N, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sum %ld\n", sum(buffer));
  }
}

// Stores to a pending buffer: collective operations with arrays of counts, and among neighbors.
static void gathered_too_early(void) {
  int counts[] = {N, N}, at[] = {0, N}, all[2 * N] = {0}, dims = 2, periods = 1;
  MPI_Request requests[2];
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &ring);
  fill(1);
  MPI_Iallgatherv(buffer, N, MPI_INT, all, counts, at, MPI_INT, MPI_COMM_WORLD, &requests[0]);
  fill(2);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %ld\n", sum(all + N));
  fill(1);
  MPI_Ineighbor_allgather(buffer, N, MPI_INT, all, N, MPI_INT, ring, &requests[1]);
  fill(2);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %ld\n", sum(all + N));
  MPI_Comm_free(&ring);
}

// The second message has arrived, which does not mean that the first receive is complete.
static void read_too_early(void) {
  MPI_Request request;
  if (rank == 1) {
    fill(1);
    MPI_Send(buffer, N, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
  } else {
    MPI_Irecv(buffer, N, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sum %ld\n", sum(buffer));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// Both processes send first, which works only if MPI buffers the messages.
static void head_to_head(void) {
  fill(1 + rank);
  MPI_Send(buffer, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(other, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %ld\n", sum(other));
}

// If several messages have arrived, MPI may report any of them.
static void in_order(void) {
  static int values[MESSAGES];
  MPI_Request requests[MESSAGES];
  long found = 0;
  for (int i = 0; i < MESSAGES; i++) {
    if (rank == 0) {
      MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    } else {
      values[i] = i;
      MPI_Isend(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
  }
  if (rank == 1) {
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, 0, MESSAGES, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(NULL, 0, MPI_INT, 1, MESSAGES, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // all are there
  for (int i = 0; i < MESSAGES; i++) {
    int index;
    MPI_Waitany(MESSAGES, requests, &index, MPI_STATUS_IGNORE);
    found = 10 * found + values[index];
  }
  printf("in order %06ld\n", found);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "changed")) changed_too_early();
    if (!strcmp(argv[i], "broadcast")) broadcast_too_early();
    if (!strcmp(argv[i], "read")) read_too_early();
    if (!strcmp(argv[i], "order")) in_order();
    if (!strcmp(argv[i], "persistent")) started_too_early(0);
    if (!strcmp(argv[i], "buffered")) started_too_early(1);
    if (!strcmp(argv[i], "gather")) gathered_too_early();
    if (!strcmp(argv[i], "head")) head_to_head();
    if (!strcmp(argv[i], "pid") && rank == 0) printf("process %d\n", (int)getpid());
  }
  MPI_Finalize();
  return 0;
}
