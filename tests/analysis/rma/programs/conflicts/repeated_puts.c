// SPDX-License-Identifier: MIT
// A loop puts equal data from its own stack into all elements of two windows except one. So only
// the displacement distinguishes the next element. Another loop, at several depths, leaves out
// both. The other process puts into that element, or (`same`) into the next one.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 64, TURNS = 4096, LEFT_OUT = 21 };
static MPI_Win window;

static void put(int target, int place, int depth) {
  volatile int one = place;
  if (depth) {
    put(target, place, depth - 1);
    return;
  }
  MPI_Put((const void *)&one, 1, MPI_INT, target, place, 1, MPI_INT, window);
  if (place % 3)
    MPI_Win_flush(target, window);
  else
    MPI_Win_flush_all(window);
}

int main(int argc, char **argv) {
  int rank, *memory, is_same = argc > 1 && !strcmp(argv[1], "same");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  MPI_Win_lock_all(0, window);
  for (int turn = 0; rank == 0 && turn < TURNS; turn++) {
    int place = turn * 7 % N;
    if (place != LEFT_OUT) put(turn / N % 2, place, 0);
  }
  for (int turn = 0; rank == 0 && turn < TURNS; turn++) {
    int place = turn * 7 % N;
    if (place != LEFT_OUT && place != LEFT_OUT + 1) put(turn % 2, place, turn / 100 % 3);
  }
  if (rank == 1) put(1, LEFT_OUT + is_same, 0);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  if (rank == 0) fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
