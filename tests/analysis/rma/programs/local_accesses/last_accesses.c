// SPDX-License-Identifier: MIT
// Rank 1 loads data of an incomplete get, and stores to its window, where rank 0 puts. Then it
// never calls MPI again: it ends, or not, as the argument tells it. Two processes.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile double *got;

__attribute__((noinline)) static double load(void) {
  return *got;
}

__attribute__((noinline)) static void store(volatile double *memory) {
  memory[3] = 1;
}

static void end(const char *how) {
  if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(how, "exit")) exit(5);
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "fault")) *(volatile int *)0 = 1;
  while (!strcmp(how, "sleep")) sleep(1);
  while (!strcmp(how, "poll") && load() == 0)
    ;
}

int main(int argc, char **argv) {
  int rank;
  double *memory, sum = 0, zero = 0;
  const char *how = argv[1];
  MPI_Win window;
  got = calloc(1, sizeof *got);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(8 * sizeof sum, sizeof sum, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, 8 * sizeof sum);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(&zero, 1, MPI_DOUBLE, 1, 3, 1, MPI_DOUBLE, window);
  MPI_Barrier(MPI_COMM_WORLD);
  // Synchronizes without MPI: rank 0 may end only when its log contains the barrier.
  if (rank == 0) fclose(fopen(argv[2], "w"));
  while (access(argv[2], F_OK) != 0) usleep(1000);
  if (rank == 1) {
    MPI_Get((void *)got, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
    sum += load();
    store(memory);
    end(how);
  }
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return sum != 0;
}
