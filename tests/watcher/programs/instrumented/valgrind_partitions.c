// SPDX-License-Identifier: MIT
// Receives partitions. With an argument the program uses two partitions too early, one of these
// after another partition has arrived. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 4, N = 8 };

static void sends(void) {
  double out[PARTS * N] = {0};
  MPI_Request request;
  MPI_Psend_init(out, PARTS, N, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Pready_range(0, PARTS - 1, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static double receives(int wrong) {
  int flag = 0;
  double *in = calloc(PARTS * N, sizeof *in), sum = 0;
  MPI_Request request;
  MPI_Precv_init(in, PARTS, N, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  sum += in[0]; // not started
  MPI_Start(&request);
  if (wrong) sum += in[2 * N];
  while (!flag) MPI_Parrived(request, 1, &flag);
  sum += in[N] + in[2 * N - 1];
  if (wrong) in[3 * N] = 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum += in[0] + in[3 * N];
  MPI_Request_free(&request);
  free(in);
  return sum;
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    sends();
  else
    printf("%d\n", receives(argc > 1) == argc - 1);
  MPI_Finalize();
}
