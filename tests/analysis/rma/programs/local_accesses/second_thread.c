// SPDX-License-Identifier: MIT
// A thread initializes MPI and ends. A second thread, which has loaded an entry of a window, makes
// all later calls. It loads another entry in the epoch in which the first entry is put; with an
// argument, it loads the first again. Two processes.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ENTRIES = 4096 };
static double *memory;
static MPI_Win win;

static void *begins(void *unused) {
  int provided;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  MPI_Win_allocate(ENTRIES * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < ENTRIES; i++) memory[i] = 1;
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, win);
  return unused;
}

__attribute__((noinline)) static double load(int entry) {
  return ((volatile double *)memory)[entry];
}

int main(int argc, char **argv) {
  pthread_t thread;
  int rank, is_wrong = argc > 1 && argv[1];
  double sum, mine = 2;
  pthread_create(&thread, NULL, begins, NULL);
  pthread_join(thread, NULL);
  sum = load(5);
  MPI_Win_fence(0, win);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) MPI_Put(&mine, 1, MPI_DOUBLE, 0, 5, 1, MPI_DOUBLE, win);
  if (rank == 0) sum += load(is_wrong ? 5 : 2000);
  MPI_Win_fence(0, win);
  if (rank == 0) printf("%s\n", sum == 2 || is_wrong ? "done" : "lost");
  MPI_Win_free(&win);
  MPI_Finalize();
}
