// SPDX-License-Identifier: MIT
// The time of a mutex without contention, and of an OpenMP barrier of two threads, with one-sided
// operations in between. Prints nanoseconds: the minimum of several rounds for each.
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { LOCKS = 1000000, BARRIERS = 20000, ROUNDS = 7 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double lock_time(void) {
  double began = MPI_Wtime();
  for (int i = 0; i < LOCKS; i++) {
    pthread_mutex_lock(&mutex);
    __asm__ volatile("" ::: "memory");
    pthread_mutex_unlock(&mutex);
  }
  return (MPI_Wtime() - began) * 1e9 / LOCKS;
}

static double barrier_time(void) {
  double time = 0;
#pragma omp parallel num_threads(2)
  {
    double began = MPI_Wtime();
    for (int i = 0; i < BARRIERS; i++) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 0) time = (MPI_Wtime() - began) * 1e9 / BARRIERS;
  }
  return time;
}

int main(int argc, char **argv) {
  int provided, *base;
  double lock = 1e9, barrier = 1e9;
  MPI_Win window;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_lock_all(0, window);
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Put(base, 1, MPI_INT, 0, 8, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    double time = barrier_time();
    barrier = time < barrier ? time : barrier;
    time = lock_time();
    lock = time < lock ? time : lock;
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  printf("%.1f %.1f\n", lock, barrier);
  return 0;
}
