// SPDX-License-Identifier: MIT
// Windows on memory in the stack frame of a function that has returned; with an argument, it has
// not returned. Two processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 16 };
#define OUTLINE __attribute__((noinline))

static OUTLINE void create(double *memory, MPI_Win *window) {
  MPI_Win_create(memory, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, window);
}

static OUTLINE void of_own(MPI_Win *window) {
  double memory[N] = {0};
  create(memory, window);
}

static OUTLINE void attach_own(MPI_Win window) {
  double memory[N] = {0};
  MPI_Win_attach(window, memory, sizeof memory);
}

static OUTLINE void fenced(MPI_Win window) {
  MPI_Win_fence(0, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static OUTLINE void freed(MPI_Win window) {
  MPI_Win_free(&window);
}

static OUTLINE void detached(MPI_Win window, double *memory) {
  if (memory) MPI_Win_detach(window, memory);
  MPI_Win_free(&window);
}

int main(int argc, char **argv) {
  int rank, right = argc > 1;
  double memory[N] = {0};
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  right ? create(memory, &window) : of_own(&window);
  fenced(window);
  right ? create(memory, &window) : of_own(&window);
  freed(window);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  right ? (void)MPI_Win_attach(window, memory, sizeof memory) : attach_own(window);
  detached(window, right ? memory : NULL);
  if (rank == 0) printf("done\n");
  fflush(stdout);
  MPI_Finalize();
}
