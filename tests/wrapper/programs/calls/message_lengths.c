// SPDX-License-Identifier: MIT
// Threads send messages of many lengths in one channel at the same time, so their ordinals do not
// match. Then a matching probe takes a message.
#include "probe.h"

#include <pthread.h>

enum { THREADS = 4, LENGTHS = 97, ROUNDS = 4000 };

static int out[LENGTHS + 1];

// Loops within loops, and exceptions, at times that differ between the threads.
static int length_of(int number, int round) {
  if (round % 7 == 0) return 1 + (round * 31 + number * 17) % LENGTHS;
  return 1 + round / 500 * 2 + number % 2;
}

static void *exchange(void *given) {
  int in[LENGTHS + 1], number = (int)(intptr_t)given;
  MPI_Request requests[2];
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Irecv(in, LENGTHS, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(out, length_of(number, i), MPI_INT, 0, 3, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  return NULL;
}

// One thread has its own channel, whose ordinals are certain.
static void *alone(void *given) {
  int in;
  for (int i = 0; i < 10; i++)
    MPI_Sendrecv(given, 1, MPI_INT, 0, 4, &in, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  return NULL;
}

// A receive from any source, while only this thread has called MPI.
static void take_any(MPI_Comm any) {
  int in;
  MPI_Request request;
  MPI_Isend(out, 1, MPI_INT, 0, 5, any, &request);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, any, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS], other;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm comm = MPI_COMM_SELF, any;
  MPI_Comm_dup(comm, &any);
  SAY(comm);
  SAY(any);
  take_any(any);
  look("alone");
  for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchange, (void *)i);
  pthread_create(&other, NULL, alone, out);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  pthread_join(other, NULL);
  look("exchanged");
  MPI_Finalize();
}
