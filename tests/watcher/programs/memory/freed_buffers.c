// SPDX-License-Identifier: MIT
// Memory is freed during an operation; without an argument, after the operation is complete.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong;

static void *thread(void *memory) {
  free(memory);
  return NULL;
}

static void by_free(double *data) {
  free(data);
}

static void by_realloc(double *data) {
  free(realloc(data, 100));
}

static void by_a_thread(double *data) {
  pthread_t other;
  pthread_create(&other, NULL, thread, data);
  pthread_join(other, NULL);
}

static void (*const ways[])(double *) = {by_free, by_realloc, by_a_thread};

static void send(void (*give_back)(double *), int n) {
  double *data = malloc(n * sizeof *data), *others = malloc(n * sizeof *data);
  MPI_Request request;
  for (int i = 0; i < n; i++) data[i] = i;
  MPI_Issend(data, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
  free(others);
  if (wrong) give_back(data);
  MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (!wrong) give_back(data);
}

// The last of these blocks is longer than the others.
static void send_irregular(void) {
  int lengths[] = {3, 2, 5}, places[] = {0, 7, 20};
  double *data = calloc(100, sizeof *data);
  MPI_Datatype type;
  MPI_Request request;
  MPI_Type_indexed(3, lengths, places, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Issend(data, 1, type, 1, 0, MPI_COMM_WORLD, &request);
  if (wrong) free(data);
  MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  if (!wrong) free(data);
}

static void send_from_mpi(void) {
  double *data;
  MPI_Request request;
  MPI_Alloc_mem(4000 * sizeof *data, MPI_INFO_NULL, &data);
  for (int i = 0; i < 4000; i++) data[i] = i;
  MPI_Issend(data, 4000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
  if (wrong) MPI_Free_mem(data);
  MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (!wrong) MPI_Free_mem(data);
}

// A new block of the same length gets the same memory.
static void innocent(int n) {
  double *data = malloc(n * sizeof *data);
  for (int i = 0; i < n; i++) data[i] = -1;
  free(data);
}

// The freed buffer belongs to both operations.
static void send_twice(int n) {
  double *data = calloc(n, sizeof *data);
  MPI_Request requests[2];
  for (int i = 0; i < 2; i++) MPI_Issend(data, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[i]);
  if (wrong) free(data);
  innocent(n);
  for (int i = 0; i < 2; i++) MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (!wrong) free(data);
}

static void put(void) {
  static double memory[16];
  double *data = calloc(16, sizeof *data);
  int rank;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(data, 16, MPI_DOUBLE, 1, 0, 16, MPI_DOUBLE, win);
  if (wrong) free(data);
  MPI_Win_fence(0, win);
  if (!wrong) free(data);
  MPI_Win_free(&win);
}

static double receive(int n) {
  double *data = malloc(n * sizeof *data), last;
  MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(data, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  last = data[n - 1];
  free(data);
  return last;
}

int main(int argc, char **argv) {
  static const int sizes[] = {4000, 200000}; // within malloc's heap, and mapped for itself
  double sum = 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wrong = argc > 1;
  for (int way = 0; way < 3; way++) {
    for (int i = 0; i < 2; i++) {
      if (rank == 0)
        send(ways[way], sizes[i]);
      else
        sum += receive(sizes[i]);
    }
  }
  if (rank == 0) {
    send_irregular();
    send_from_mpi();
    send_twice(1000);
  } else {
    double data[10];
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, 10, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += receive(4000);
    for (int i = 0; i < 2; i++) receive(1000);
  }
  put();
  if (rank == 1) printf("%g\n", wrong ? 0 : sum);
  MPI_Finalize();
  return 0;
}
