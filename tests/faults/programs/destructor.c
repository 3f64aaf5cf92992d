// SPDX-License-Identifier: MIT
// A thread that calls MPI while it ends, after the wrapper has seen its end.
#include <pthread.h>

#include "probe.h"

static pthread_key_t key;
static MPI_Datatype late;

static void destroy(void *value) {
  (void)value;
  MPI_Type_contiguous(3, MPI_INT, &late);
  SAY(late);
  look("ending");
}

static void *run(void *argument) {
  int size;
  MPI_Type_size(MPI_INT, &size);
  pthread_setspecific(key, &late);
  return argument;
}

int main(void) {
  int provided;
  pthread_t thread;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  pthread_key_create(&key, destroy); // after the wrapper's
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  look("ended");
  MPI_Finalize();
  return 0;
}
