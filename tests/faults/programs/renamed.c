// SPDX-License-Identifier: MIT
// renamed ROUNDS: four threads change what they share: names, an info, an error handler, locks.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };
static MPI_Comm comm;
static MPI_Datatype type;
__attribute__((unused)) static MPI_Win win;
__attribute__((unused)) static int memory;
__attribute__((unused)) static MPI_Info info;
static long rounds;

static void *run(void *number) {
  char name[64];
  for (long round = 0; round < rounds; round++) {
    snprintf(name, sizeof name, "thread %d, round %ld", (int)(intptr_t)number, round);
    MPI_Comm_set_name(comm, name);
    MPI_Type_set_name(type, name);
#ifdef OMPI_MAJOR_VERSION // MPICH 4.0.2 loses keys then
    MPI_Info_set(info, name, name);
    MPI_Info_delete(info, name);
#else // Open MPI 4 has no windows with several threads
    MPI_Win_set_name(win, name);
    MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win);
    MPI_Win_unlock(MPI_PROC_NULL, win);
#endif
    MPI_Comm_set_errhandler(comm, round % 2 ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t threads[THREADS];
  rounds = argc > 1 ? atol(argv[1]) : 1000;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 74;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Info_create(&info);
#ifndef OMPI_MAJOR_VERSION
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
#endif
  for (intptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  MPI_Finalize();
  return 0;
}
