// SPDX-License-Identifier: MIT
// A thread gets data into memory outside windows, and completes the operation. Then another thread
// accesses the memory. With an argument no barrier orders the two threads.
#include <mpi.h>
#include <omp.h>

static MPI_Win window;
static int buffer[4], at, races; // at: always 0
static volatile int sink, done;  // order nothing for mpipp

static void get(int *to) {
  MPI_Get(to, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
  MPI_Win_flush(1, window);
  done = 1;
}

static void access_static(void) {
  done = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) get(&buffer[at]);
    while (!done) {
    }
    if (!races) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) buffer[at] = 1; // race
  }
}

static void access_stack(void) {
  int local = 0;
  done = 0;
#pragma omp parallel num_threads(2) shared(local)
  {
    if (omp_get_thread_num() == 0) get(&local);
    while (!done) {
    }
    if (!races) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) sink = local; // race
  }
}

// Many accesses end the recording.
static void access_often(void) {
  done = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) get(&buffer[2]);
#pragma omp barrier
    for (int i = 0; i < 100000; i++) sink = buffer[2];
  }
}

int main(int argc, char **argv) {
  int provided, rank, *base;
  races = argc > 1;
  at = argc > 5;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_lock_all(0, window);
  if (rank == 0) {
    access_static();
    access_stack();
    access_often();
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
