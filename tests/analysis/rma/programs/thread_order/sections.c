// SPDX-License-Identifier: MIT
// Two short sections in a process with one processor. One thread could execute both before the
// other thread has begun. The first region has no other construct, and the second has two.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>

#define GET(AT) MPI_Get(base + (AT), 1, MPI_INT, 1, 0, 1, MPI_INT, window)

int main(int argc, char **argv) {
  int provided, rank, *base;
  MPI_Win window;
  cpu_set_t one;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Win_lock_all(0, window);
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  if (rank == 0) {
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            {GET(1);
    MPI_Win_flush(1, window);
  }
#pragma omp section
  base[1] = 1; // race
}
}
#pragma omp parallel num_threads(2)
{
#pragma omp sections
  {
#pragma omp section
    base[2] = 1;
#pragma omp section
    base[3] = 1;
  }
#pragma omp sections
  {
#pragma omp section
    {
      GET(4);
      MPI_Win_flush(1, window);
    }
#pragma omp section
    base[4] = 1; // race
  }
}
}
MPI_Win_unlock_all(window);
MPI_Win_free(&window);
MPI_Finalize();
return 0;
}
