// SPDX-License-Identifier: MIT
// A thread commits datatypes, and the debugger stops it during a lookup. Meanwhile the first thread
// makes so many more that the table of datatypes is replaced.
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

enum { SOME = 600, MORE = 400 };
static MPI_Datatype some[SOME], more[MORE];
int go = 0;

__attribute__((noinline)) void mark(void) {
  __asm__ volatile("" ::: "memory");
}

static void make_more(void) {
  while (!__atomic_load_n(&go, __ATOMIC_RELAXED)) sched_yield();
  for (int i = 0; i < MORE; i++) {
    MPI_Type_contiguous(1000 + i, MPI_INT, &more[i]);
    MPI_Type_commit(&more[i]);
  }
  mark();
}

static void *commit(void *unused) {
  mark();
  for (int i = 0; i < SOME; i++) MPI_Type_commit(&some[i]);
  mark();
  return unused;
}

int main(void) {
  int provided;
  pthread_t thread;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  for (int i = 0; i < SOME; i++) MPI_Type_contiguous(1 + i, MPI_INT, &some[i]);
  pthread_create(&thread, NULL, commit, NULL);
  make_more();
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
