// SPDX-License-Identifier: MIT
// Sends of partitions that share pages. The program makes right accesses, and wrong accesses to
// partitions that are ready. Two processes.
#include <mpi.h>
#include <stdio.h>

enum { PARTS = 4, N = 8, LONG = 700, WIDE = 10 };

static int rank;
static double data[PARTS * LONG] __attribute__((aligned(4096)));
static double in[PARTS * LONG];
static MPI_Datatype column;

static void sends(MPI_Request *request, int count, MPI_Datatype type) {
  MPI_Psend_init(data, PARTS, count, type, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request);
  for (int i = 0; i < PARTS * LONG; i++) data[i] = i;
  MPI_Start(request);
}

static void ends(MPI_Request *request) {
  data[0] = data[N] = -1; // belong to the program again
  MPI_Request_free(request);
}

static void receives(int count) {
  MPI_Request request;
  MPI_Precv_init(in, PARTS, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static void small(int wrong) {
  MPI_Request request;
  sends(&request, N, MPI_DOUBLE);
  MPI_Pready(1, request);
  data[0] = data[2 * N] = 3; // partitions that are not ready
  if (wrong) data[2 * N - 1] = 4;
  MPI_Pready(0, request);
  MPI_Pready_range(2, 3, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ends(&request);
}

static void beside_pages(int wrong) {
  MPI_Request request;
  sends(&request, LONG, MPI_DOUBLE);
  MPI_Pready(0, request);
  data[LONG] = 5; // in the same page
  if (wrong) data[LONG - 1] = 6;
  MPI_Pready_range(1, 3, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ends(&request);
}

static void columns(int wrong) {
  MPI_Request request;
  sends(&request, 1, column);
  MPI_Pready_range(0, 3, request);
  data[1] = 7; // a gap in the datatype
  if (wrong) data[3 * N * WIDE + WIDE] = 8;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ends(&request);
}

// The buffer is freed before the operation is.
static void posts(MPI_Request *request) {
  double out[PARTS * N] = {0};
  MPI_Psend_init(out, PARTS, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, request);
  MPI_Start(request);
  MPI_Pready_range(0, 3, *request);
}

static void gone(void) {
  MPI_Request request;
  posts(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

// No call completes the operation before the process ends.
static void never(void) {
  static double out[PARTS * N];
  MPI_Request request;
  MPI_Psend_init(out, PARTS, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Pready_range(0, 3, request);
  out[3] = 9;
  MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char **argv) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype vector;
  MPI_Type_vector(N, 1, WIDE, MPI_DOUBLE, &vector);
  MPI_Type_create_resized(vector, 0, N * WIDE * sizeof(double), &column);
  MPI_Type_commit(&column);
  MPI_Type_free(&vector);
  (void)argv;
  for (int wrong = 0; wrong < 2 && argc == 1; wrong++) {
    if (rank == 0) {
      small(wrong);
      beside_pages(wrong);
      columns(wrong);
      if (wrong) gone();
    } else {
      receives(N);
      receives(LONG);
      receives(N);
      if (wrong) receives(N);
    }
  }
  if (argc > 1 && rank == 0) never();
  if (argc > 1) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&column);
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
