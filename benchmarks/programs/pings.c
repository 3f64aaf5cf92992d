// SPDX-License-Identifier: MIT
// Each process sends messages of one size to itself: MPI_Irecv, MPI_Isend, MPI_Waitall. Usage:
// pings BYTES ROUNDS. It prints the seconds, and a checksum.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int bytes = argc > 1 ? atoi(argv[1]) : 64, rounds = argc > 2 ? atoi(argv[2]) : 1000;
  char *out = calloc(1, (size_t)bytes), *in = calloc(1, (size_t)bytes);
  double start = 0;
  for (int i = -10; i < rounds; i++) {
    MPI_Request requests[2];
    if (i == 0) start = MPI_Wtime();
    out[bytes / 2] = (char)i;
    MPI_Irecv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  printf("%.6f %d\n", MPI_Wtime() - start, in[bytes / 2]);
  free(out);
  free(in);
  MPI_Finalize();
}
