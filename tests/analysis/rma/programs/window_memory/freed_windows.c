// SPDX-License-Identifier: MIT
// Memory that is freed while it belongs to a window; with an argument, when it no longer does. Two
// processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };
static int rank;

static double *new_block(void) {
  double *block = calloc(N, sizeof *block);
  if (!block) MPI_Abort(MPI_COMM_WORLD, 1);
  return block;
}

static void created(int right) {
  double *memory = new_block(), *other = new_block();
  MPI_Win window;
  MPI_Win_create(memory + 8, 16 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  MPI_Win_fence(0, window);
  free(other); // of no window
  if (rank == 1 && !right) free(memory);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_free(&window);
  if (rank == 0 || right) free(memory);
}

static void moved(int right) {
  double *memory = new_block();
  MPI_Win window;
  MPI_Win_create(memory, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  if (!right) memory = realloc(memory, 100 * N * sizeof *memory);
  MPI_Win_free(&window);
  if (right) memory = realloc(memory, 100 * N * sizeof *memory);
  free(memory);
}

static void attached(int right) {
  double *memory = new_block(), *other = new_block();
  MPI_Win window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_attach(window, memory, N * sizeof *memory);
  MPI_Win_attach(window, other, N * sizeof *other);
  MPI_Win_detach(window, other);
  free(other);
  if (right) MPI_Win_detach(window, memory);
  free(memory);
  MPI_Win_free(&window);
}

static void nothing(void) {
  double *memory = new_block(), *again;
  MPI_Win window;
  MPI_Win_create(memory, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  free(memory);
  MPI_Win_free(&window);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &again, &window);
  MPI_Win_free(&window);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  created(argc > 1);
  moved(argc > 1);
  attached(argc > 1);
  nothing();
  if (rank == 0) printf("done\n");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
