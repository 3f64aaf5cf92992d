// SPDX-License-Identifier: MIT
// A function uses its variables while they are buffers of active operations; with the argument
// "right", after these are complete. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int right, sum;
static MPI_Win win;

__attribute__((noinline)) static void gets(int peer) {
  int value = 1;
  MPI_Get(&value, 1, MPI_INT, peer, 0, 1, MPI_INT, win);
  if (!right) sum += value;
  MPI_Win_flush(peer, win);
  if (right) sum += value;
}

__attribute__((noinline)) static void puts_it(int peer) {
  int values[4] = {1, 2, 3, 4};
  MPI_Put(values, 4, MPI_INT, peer, 4, 4, MPI_INT, win);
  if (!right) values[2] = 5;
  MPI_Win_flush_local(peer, win);
  if (right) values[2] = 5;
  sum += values[2];
}

__attribute__((noinline)) static void fetches(int peer) {
  int one = 1, before = 0;
  MPI_Fetch_and_op(&one, &before, MPI_INT, peer, 1, MPI_SUM, win);
  if (!right) before = 0;
  MPI_Win_flush(peer, win);
  if (right) sum += before;
}

int main(int argc, char **argv) {
  int rank, *memory;
  MPI_Init(&argc, &argv);
  right = argc > 1 && !strcmp(argv[1], "right");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(8 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  memset(memory, 0, 8 * sizeof *memory);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    gets(1);
    puts_it(1);
    fetches(1);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  if (rank == 0) puts(sum < 0 ? "" : "done");
  MPI_Finalize();
  return 0;
}
