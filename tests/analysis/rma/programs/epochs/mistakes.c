// SPDX-License-Identifier: MIT
// Wrong synchronization: MPI continues, or returns an error and does nothing. Two processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 8 };
static int rank, *memory, value = 1;
static MPI_Win window;

static void put(int at) {
  MPI_Put(&value, 1, MPI_INT, 1, at, 1, MPI_INT, window);
}

static void outside_of_an_epoch(void) {
  if (rank == 0) put(0);
}

static void nothing_precedes(void) {
  MPI_Win_fence(0, window);
  if (rank == 0) put(1);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

static void no_put(void) {
  MPI_Win_fence(MPI_MODE_NOPUT, window);
  if (rank == 0) put(2);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

int main(int argc, char **argv) {
  void (*const cases[])(void) = {nothing_precedes, no_put, outside_of_an_epoch};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++) {
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    cases[i]();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
