// SPDX-License-Identifier: MIT
// Correct operations that must not be deferred, or that do not use MPI_COMM_WORLD. Several threads,
// an intercommunicator, cancelled, freed and left receives, a loop that ends by its result.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, ROUNDS = 20 };
static int rank;

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
#define NEED(x) need(x, __LINE__)

// Waits in MPI for the answer to a message that another thread sends meanwhile.
static void *awaits_answer(void *argument) {
  int *answer = argument;
  MPI_Recv(answer, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

static void with_threads(void) {
  for (int i = 0; i < ROUNDS; i++) {
    int value = 10 * i + rank, other = -1, answer = -1;
    MPI_Request request;
    pthread_t thread;
    if (rank == 0) {
      pthread_create(&thread, NULL, awaits_answer, &answer);
      MPI_Isend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
      pthread_join(thread, NULL);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      NEED(answer == value + 1);
    } else {
      MPI_Recv(&other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      other++;
      MPI_Send(&other, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
  }
}

static void between_groups(void) {
  MPI_Comm alone, inter;
  int out[N], in[N], flag = 0;
  MPI_Request requests[2];
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, 1 - rank, 5, &inter);
  for (int i = 0; i < N; i++) out[i] = 100 * rank + i;
  MPI_Irecv(in, N, MPI_INT, 0, 3, inter, &requests[0]);
  MPI_Isend(out, N, MPI_INT, 0, 3, inter, &requests[1]);
  while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; i < N; i++) NEED(in[i] == 100 * (1 - rank) + i);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&alone);
}

// Requests that are freed while they are active: their messages still arrive.
static void given_up(void) {
  static int in[N], out[N];
  MPI_Request request;
  memset(in, 1, sizeof in);
  if (rank == 0) {
    MPI_Irecv(in, N, MPI_INT, 1, 4, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    NEED(request == MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(out, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD); // what was received before is in the buffer
    for (int i = 0; i < N; i++) NEED(in[i] == i);
  } else {
    for (int i = 0; i < N; i++) out[i] = i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(out, N, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Send(in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A broadcast with absolute addresses: MPI_BOTTOM may be NULL.
static void by_absolute_address(void) {
  int value = rank == 0 ? 11 : -1, length = 1;
  MPI_Aint at;
  MPI_Datatype here;
  MPI_Request request;
  MPI_Get_address(&value, &at);
  MPI_Type_create_hindexed(1, &length, &at, MPI_INT, &here);
  MPI_Type_commit(&here);
  MPI_Ibcast(MPI_BOTTOM, 1, here, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(value == 11);
  MPI_Type_free(&here);
}

// An earlier receive could take either of two messages; each keeps its order.
static void in_their_order(void) {
  int values[3] = {7, 8, 9}, got[3] = {0};
  MPI_Request requests[3];
  MPI_Status statuses[3];
  if (rank == 1) {
    MPI_Isend(&values[0], 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&values[1], 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&values[2], 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int i = 0; i < 3; i++)
      MPI_Irecv(&got[i], 1, MPI_INT, i == 1 ? MPI_ANY_SOURCE : 1, i ? MPI_ANY_TAG : 6,
                MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(3, requests, statuses);
    for (int i = 0; i < 3; i++) NEED(got[i] == values[i] && statuses[i].MPI_TAG == 6);
  }
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  between_groups();
  in_their_order();
  given_up();
  by_absolute_address();
  if (provided == MPI_THREAD_MULTIPLE) with_threads();
  between_groups();
  if (rank == 0) printf("fine\n");
  MPI_Finalize();
  return 0;
}
