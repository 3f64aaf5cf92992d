// SPDX-License-Identifier: MIT
// A thread stores to a window's memory before the epoch in which another process puts there. It
// calls MPI again only in that epoch: there is no conflict. With an argument it stores in the
// epoch. Two processes.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t together;
static double *memory, mine = 2;
static int is_wrong;

static void *works(void *unused) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_barrier_wait(&together);
  if (rank == 0 && !is_wrong) memory[3] = 1;
  pthread_barrier_wait(&together);
  pthread_barrier_wait(&together); // the epoch has begun
  if (rank == 0 && is_wrong) memory[3] = 1;
  MPI_Barrier(MPI_COMM_SELF);
  pthread_barrier_wait(&together);
  return unused;
}

int main(int argc, char **argv) {
  int rank, provided;
  MPI_Win win;
  pthread_t thread;
  is_wrong = argc > 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(8 * sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  pthread_barrier_init(&together, NULL, 2);
  pthread_create(&thread, NULL, works, NULL);
  pthread_barrier_wait(&together);
  pthread_barrier_wait(&together);
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Put(&mine, 1, MPI_DOUBLE, 0, 3, 1, MPI_DOUBLE, win);
  pthread_barrier_wait(&together);
  pthread_barrier_wait(&together);
  MPI_Win_fence(0, win);
  pthread_join(thread, NULL);
  if (rank == 0) printf("%s\n", memory[3] == 2 || is_wrong ? "done" : "lost");
  MPI_Win_free(&win);
  MPI_Finalize();
}
