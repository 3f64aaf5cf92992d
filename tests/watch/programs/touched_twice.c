// SPDX-License-Identifier: MIT
// Two sends to itself whose buffers are stored to while they are pending.
#include <mpi.h>
#include <stdio.h>

enum { N = 8192 };

static _Alignas(4096) double faces[2][N], in[N];

int main(int argc, char **argv) {
  MPI_Request requests[2];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2; i++) {
    MPI_Isend(faces[i], N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
    for (int j = 0; j < N; j++) faces[i][j] = 1;
    MPI_Irecv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  puts("done");
  return 0;
}
