// SPDX-License-Identifier: MIT
// Eight threads, four at a time, make and free datatypes, in each of two processes.
#include <mpi.h>
#include <pthread.h>

enum { THREADS = 4, TIMES = 2, ROUNDS = 100 };

static void *work(void *argument) {
  int lengths[] = {1, 2, 1, 3}, places[] = {0, 2, 5, 7};
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Datatype type;
    MPI_Type_indexed(4, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
  }
  return argument;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (int time = 0; time < TIMES; time++) {
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  }
  MPI_Finalize();
  return provided != MPI_THREAD_MULTIPLE;
}
