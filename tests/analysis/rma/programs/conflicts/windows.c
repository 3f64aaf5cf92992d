// SPDX-License-Identifier: MIT
// Two puts share a byte of a window with a name, and accumulates reach one element through two
// windows. With an argument, nothing overlaps. Three processes.
#include <mpi.h>
#include <stdio.h>

static int rank, right, value = 1;

// Displacements count bytes in rank 1.
static void a_byte(MPI_Win *named) {
  char *memory;
  MPI_Win win;
  MPI_Win_allocate(64, rank == 1 ? 1 : 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_name(win, "counters");
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 4, 1, MPI_INT, win);
  if (rank == 2) MPI_Put(&value, 1, MPI_INT, 1, right ? 8 : 7, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  *named = win;
}

static void an_element(void) {
  int memory[8] = {0};
  MPI_Win win, other;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, other);
  if (rank == 0) MPI_Accumulate(&value, 1, MPI_INT, 1, 3, 1, MPI_INT, MPI_SUM, win);
  if (rank == 2) MPI_Accumulate(&value, 1, MPI_INT, 1, right ? 4 : 3, 1, MPI_INT, MPI_SUM, other);
  MPI_Win_fence(0, other);
  MPI_Win_fence(0, win);
  MPI_Win_free(&other);
  MPI_Win_free(&win);
}

int main(int argc, char **argv) {
  MPI_Win named;
  (void)argv;
  right = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  a_byte(&named);
  an_element();
  MPI_Win_free(&named);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
}
