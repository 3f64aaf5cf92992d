// SPDX-License-Identifier: MIT
// Four threads send to themselves ROUNDS times. A library may return one handle for several
// completed sends: it reuses the handle while a thread is still recording the end of another one.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { THREADS = 4 };
static MPI_Comm comms[THREADS];
static long rounds;

static void *run(void *number) {
  MPI_Comm comm = comms[(intptr_t)number];
  for (long round = 0; round < rounds; round++) {
    int in, out = 0;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, comm, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t threads[THREADS];
  rounds = argc > 1 ? atol(argv[1]) : 1000;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 74;
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return 0;
}
