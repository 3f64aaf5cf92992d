// SPDX-License-Identifier: MIT
// Four threads make, use and free objects at the same time; each keeps some objects.
#include <pthread.h>

#include "probe.h"

enum { THREADS = 4, ROUNDS = 20000, TYPES = 10, REQUESTS = 3 };
static MPI_Comm comms[THREADS];
static MPI_Datatype types[THREADS][TYPES];
static MPI_Request requests[THREADS][REQUESTS];
static int numbers[THREADS][4];

static void make_and_free(int round) {
  MPI_Datatype vector, outer;
  MPI_Group group;
  MPI_Info info;
  MPI_Type_vector(3, round % 7, 4, MPI_DOUBLE, &vector);
  MPI_Type_contiguous(2, vector, &outer);
  MPI_Type_free(&vector);
  MPI_Type_free(&outer);
  if (round % 16) return;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_free(&group);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_free(&info);
}

static void communicate(int thread) {
  MPI_Request pair[2];
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Irecv(numbers[thread], 1, type, 0, 1, comms[thread], &pair[0]);
  MPI_Isend(numbers[thread] + 2, 1, type, 0, 1, comms[thread], &pair[1]);
  MPI_Type_free(&type);
  MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
}

static void *run(void *number) {
  int thread = (int)(intptr_t)number;
  for (int round = 0; round < ROUNDS; round++) {
    make_and_free(round);
    if (round % 2) communicate(thread);
  }
  for (int i = 0; i < TYPES; i++) MPI_Type_contiguous(1 + i, MPI_INT, &types[thread][i]);
  for (int i = 0; i < REQUESTS; i++)
    MPI_Irecv(numbers[thread], 1, MPI_INT, 0, 2 + i, comms[thread], &requests[thread][i]);
  return NULL;
}

static void end(int thread) {
  for (int i = 0; i < TYPES; i++) MPI_Type_free(&types[thread][i]);
  for (int i = 0; i < REQUESTS; i++)
    MPI_Send(numbers[thread] + 2, 1, MPI_INT, 0, 2 + i, comms[thread]);
  MPI_Waitall(REQUESTS, requests[thread], MPI_STATUSES_IGNORE);
  MPI_Comm_free(&comms[thread]);
}

int main(void) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 74;
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  look("before");
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  look("after");
  for (int i = 0; i < THREADS; i++) end(i);
  look("end");
  MPI_Finalize();
  return 0;
}
