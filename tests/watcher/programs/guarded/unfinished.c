// SPDX-License-Identifier: MIT
// Operations that are never completed: correct ones, then errors. The argument selects how the
// process ends. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16, LONG = 3000 };

static int rank, other;
static double small[N], received[N], persistent[N];
static MPI_Request request;

static void go(void) {
  MPI_Send(NULL, 0, MPI_INT, other, 9, MPI_COMM_WORLD);
}

static void await(void) {
  MPI_Recv(NULL, 0, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A freed request need not be completed: the answer shows that the buffer may be used.
static void given_up(double *out) {
  MPI_Isend(out, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Recv(received, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  go();
  await();
  out[0] = 7;
}

static void right(void) {
  double here[N] = {1};
  int flag = 0;
  given_up(here);
  given_up(small);
  // A persistent operation that is complete, but whose request is not freed.
  MPI_Send_init(persistent, N, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Recv(received, N, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  persistent[1] = 3;
  // MPI has reported this operation as complete.
  MPI_Isend(small, N, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &request);
  MPI_Recv(received, N, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  while (!flag) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  small[0] = 8;
  // This operation is not completed.
  MPI_Isend(small, N, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, &request);
  MPI_Recv(received, N, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong(const char *how) {
  static double out[N], in[N], again[N];
  double *edges = memset(aligned_alloc(4096, 6 * 4096), 0, 6 * 4096);
  MPI_Issend(out, N, MPI_DOUBLE, other, 10, MPI_COMM_WORLD, &request);
  MPI_Irecv(in, N, MPI_DOUBLE, other, 11, MPI_COMM_WORLD, &request);
  MPI_Ssend_init(again, N, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Issend(edges, LONG, MPI_DOUBLE, other, 13, MPI_COMM_WORLD, &request);
  out[3] = 1;
  in[4] = 2;
  again[5] = 3;
  edges[LONG - 1] = 4;
  if (strcmp(how, "exit") == 0) exit(3);
  if (strcmp(how, "MPI_Abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  go();
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  right();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && argc > 1) wrong(argv[1]);
  if (rank == 1 && argc > 1) {
    static double in[LONG];
    await();
    MPI_Recv(in, N, MPI_DOUBLE, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(small, N, MPI_DOUBLE, 0, 11, MPI_COMM_WORLD);
    MPI_Recv(in, N, MPI_DOUBLE, 0, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, LONG, MPI_DOUBLE, 0, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
