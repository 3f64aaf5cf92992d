// SPDX-License-Identifier: MIT
// Stores to the buffers of two pending sends to itself. With an argument, the program changes a
// third buffer, which is in an unprotected page, and frees a fourth. With two arguments, a system
// call also stores to a buffer.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 8192 };

static _Alignas(4096) double faces[2][N], in[N];

static void changes(void) {
  double small[4] = {0};
  MPI_Request requests[2];
  MPI_Ssend_init(small, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Start(&requests[0]);
  small[1] = 3;
  MPI_Irecv(in, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
}

static void gives_back(void) {
  double *block = calloc(4, sizeof *block);
  MPI_Request requests[2];
  MPI_Issend(block, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
  free(block);
  MPI_Irecv(in, 4, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void reads(void) {
  MPI_Request requests[2];
  int zeros = open("/dev/zero", O_RDONLY);
  MPI_Isend(faces[0], N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
  if (read(zeros, faces[0], sizeof faces[0]) != sizeof faces[0]) fputs("not read\n", stdout);
  MPI_Irecv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  close(zeros);
}

int main(int argc, char **argv) {
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  if (argc > 1) changes();
  if (argc > 1) gives_back();
  if (argc > 2) reads();
  for (int i = 0; i < 2 && argc == 1; i++) {
    MPI_Isend(faces[i], N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
    for (int j = 0; j < N; j++) faces[i][j] = 1;
    MPI_Irecv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  fputs("done\n", stdout);
  return 0;
}
