// SPDX-License-Identifier: MIT
// Sends messages to the next process in batches: all equal, or with random sizes and tags. Usage:
// `ledger alike|random COUNT`. It prints the bytes of the ledger, and the time on the system's
// clock before MPI_Finalize.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "registry/root.h"

enum { MOST_INTS = 1024, TAGS = 1024, BATCH = 64 };

static unsigned long
    state[2]; // random states for the messages that this process sends, and receives

static int draw(int of, int below) {
  state[of] = state[of] * 6364136223846793005ul + 1442695040888963407ul;
  return (int)((state[of] >> 33) % (unsigned long)below);
}

int main(int argc, char **argv) {
  static int out[MOST_INTS], in[BATCH][MOST_INTS];
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, last = (rank + size - 1) % size;
  int alike = argc > 1 && strcmp(argv[1], "alike") == 0;
  state[0] = (unsigned long)rank;
  state[1] = (unsigned long)last;
  for (long left = argc > 2 ? atol(argv[2]) : 0; left > 0; left -= BATCH) {
    MPI_Request requests[2 * BATCH];
    MPI_Status statuses[2 * BATCH];
    int count = left < BATCH ? (int)left : BATCH;
    for (int i = 0; i < count; i++) {
      int ints[2] = {1, 1}, tags[2] = {1, 1};
      for (int j = 0; j < 2 && !alike; j++) {
        ints[j] = draw(j, MOST_INTS);
        tags[j] = draw(j, TAGS);
      }
      MPI_Irecv(in[i], ints[1], MPI_INT, last, tags[1], MPI_COMM_WORLD, &requests[i]);
      MPI_Isend(out, ints[0], MPI_INT, next, tags[0], MPI_COMM_WORLD, &requests[count + i]);
    }
    MPI_Waitall(2 * count, requests, statuses);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  struct mpipp_registry *registry = dlsym(RTLD_DEFAULT, "mpipp_registry");
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (rank == 0)
    printf("%lu %ld.%09ld\n", registry ? (unsigned long)registry->ledger_bytes : 0,
           (long)now.tv_sec, now.tv_nsec);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
