// SPDX-License-Identifier: MIT
// Compares the time to free memory after many operations with the time before them: it must not be
// many times as much. One process.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 4000, PAIRS = 2000, ROUNDS = 10, MANY = 20 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Returns the shortest of several rounds, because the machine may have other load.
static double pairs(void) {
  double best = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    double since = seconds();
    for (int i = 0; i < PAIRS; i++) {
      void *volatile block = malloc(100);
      free(block);
    }
    double took = seconds() - since;
    if (took < best) best = took;
  }
  return best;
}

int main(int argc, char **argv) {
  static int in[N], out[N];
  static MPI_Request requests[N];
  static MPI_Status statuses[N];
  MPI_Init(&argc, &argv);
  double before = pairs();
  for (int i = 0; i < N; i++) MPI_Irecv(&in[i], 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[i]);
  for (int i = 0; i < N; i++) MPI_Send(&out[i], 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Waitall(N, requests, statuses);
  double after = pairs();
  MPI_Irecv(in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, requests);
  double meanwhile = pairs();
  MPI_Send(out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(requests, statuses);
  printf("%s, %s\n", after < MANY * before ? "as before" : "slow",
         meanwhile < MANY * before ? "as before" : "slow");
  MPI_Finalize();
  return 0;
}
