// SPDX-License-Identifier: MIT
// Short sends that are complete from the start share a handle. The program moves handles to other
// places, and completes them in another order, so mpipp cannot know which is which. All accesses of
// rank 0 to its buffers are correct. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 8, PAGES = 2048 };

static _Alignas(4096) double large[2][PAGES];
static double small[3][N];

static void wait_copy(MPI_Request request) {
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void swap(MPI_Request *one, MPI_Request *other) {
  MPI_Request first = *one;
  *one = *other;
  *other = first;
}

static void send(const double *data, int n, int tag, MPI_Request *request) {
  MPI_Isend(data, n, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD, request);
}

// The second operation is complete first, and its buffer is used again at once.
static void copied(double *first, double *second, int n) {
  MPI_Request requests[2], in;
  send(first, n, 0, &requests[0]);
  send(second, n, 1, &requests[1]);
  wait_copy(requests[1]);
  second[0] = 5;
  MPI_Irecv(second, n, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &in);
  wait_copy(requests[0]);
  first[n - 1] = 6;
  MPI_Wait(&in, MPI_STATUS_IGNORE);
}

static void swapped(double *first, double *second, int n) {
  MPI_Request requests[2];
  send(first, n, 0, &requests[0]);
  send(second, n, 1, &requests[1]);
  swap(&requests[0], &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  second[0] = 7;
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  first[0] = 8;
}

static void asked_after(void) {
  MPI_Request requests[3];
  int flag = 0;
  for (int i = 0; i < 3; i++) send(small[i], N, i, &requests[i]);
  while (!flag) MPI_Request_get_status(requests[2], &flag, MPI_STATUS_IGNORE);
  small[2][0] = 9;
  MPI_Request_free(&requests[1]);
  MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  small[0][0] = 10;
  wait_copy(requests[2]);
}

static void receive(int n, int tag) {
  static double in[PAGES];
  MPI_Recv(in, n, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void others(int n) {
  for (int way = 0; way < 2; way++) {
    receive(n, 0);
    receive(n, 1);
    if (way == 0) MPI_Send(large, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; i++) {
    int n = i ? PAGES : N;
    if (rank == 1) others(n);
    if (rank == 0) copied(i ? large[0] : small[0], i ? large[1] : small[1], n);
    if (rank == 0) swapped(i ? large[0] : small[0], i ? large[1] : small[1], n);
  }
  for (int i = 0; rank == 1 && i < 3; i++) receive(N, i);
  if (rank == 0) asked_after();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
