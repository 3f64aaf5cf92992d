// SPDX-License-Identifier: MIT
// A process sends itself messages at two places. A message of one place is as large as all messages
// of the other. A page of static memory is guarded even if the system has other memory beside it.
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 3000, LARGE = 1 << 20, SMALL = 1 << 16 };

static void exchange(char *to, char *from, int bytes) {
  MPI_Request requests[2];
  MPI_Irecv(to, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(from, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void other(char *to, char *from, int bytes) {
  MPI_Request requests[2];
  MPI_Irecv(to, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(from, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  static char to[LARGE], from[LARGE];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < ROUNDS; i++) {
    exchange(to, from, LARGE);
    for (int j = 0; j < 4; j++) other(to, from, SMALL);
  }
  fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
