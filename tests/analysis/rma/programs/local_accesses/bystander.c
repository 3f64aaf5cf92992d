// SPDX-License-Identifier: MIT
// A thread that never calls MPI loads a window's memory, entry by entry, after another process has
// put there. With an argument, it loads them in the epoch of the put. Two processes.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { ENTRIES = 100000 };
static double *memory;

static void *loads(void *sum) {
  for (int i = 0; i < ENTRIES; i++) *(double *)sum += memory[i];
  return sum;
}

static double add(void) {
  double sum = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, loads, &sum);
  pthread_join(thread, NULL);
  return sum;
}

int main(int argc, char **argv) {
  int rank, provided, is_wrong = argc > 1;
  double mine = 2, sum = 0;
  MPI_Win win;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(ENTRIES * sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < ENTRIES; i++) memory[i] = 1;
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Put(&mine, 1, MPI_DOUBLE, 0, 777, 1, MPI_DOUBLE, win);
  if (rank == 0 && is_wrong) sum = add();
  MPI_Win_fence(0, win);
  if (rank == 0 && !is_wrong) sum = add();
  if (rank == 0) printf("%s\n", sum == ENTRIES + 1 || is_wrong ? "done" : "lost");
  MPI_Win_free(&win);
  MPI_Finalize();
}
