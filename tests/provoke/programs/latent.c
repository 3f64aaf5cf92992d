// SPDX-License-Identifier: MIT
// Errors that do not show: two processes, and the words say which. Prints what was received.
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

// The next values are prepared before the send is complete.
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

// The same of a nonblocking collective operation.
static void broadcast_too_early(void) {
  MPI_Request request;
  fill(rank == 1 ? 1 : 0);
  MPI_Ibcast(buffer, N, MPI_INT, 1, MPI_COMM_WORLD, &request);
  if (rank == 1) fill(2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %ld\n", sum(buffer));
}

// That the second message is there does not say that the first one's receive is complete.
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

// Both send first: as long as MPI buffers what they send.
static void head_to_head(void) {
  fill(1 + rank);
  MPI_Send(buffer, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(other, N, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) printf("sum %ld\n", sum(other));
}

// Of several messages that are there any may be said to be.
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
    if (!strcmp(argv[i], "head")) head_to_head();
    if (!strcmp(argv[i], "pid") && rank == 0) printf("process %d\n", (int)getpid());
  }
  MPI_Finalize();
  return 0;
}
