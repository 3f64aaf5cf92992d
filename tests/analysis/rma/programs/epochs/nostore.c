// SPDX-License-Identifier: MIT
// A program stores to a window's memory, although it asserts MPI_MODE_NOSTORE: in a fence, and in
// an exposure epoch. With an argument it asserts nothing. To be compiled with `mpipp cc`. Two
// processes.
#include <mpi.h>
#include <stdio.h>

static MPI_Win win;
static MPI_Group other;
static int rank, one = 1, *memory;

static void a_fence(int nothing) {
  MPI_Win_fence(0, win);
  if (rank == 1) memory[3] = 7;
  MPI_Win_fence(nothing | MPI_MODE_NOSUCCEED, win);
}

static void an_exposure(int nothing) {
  if (rank == 1) {
    memory[5] = 8;
    MPI_Win_post(other, nothing, win);
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(other, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
  }
}

int main(int argc, char **argv) {
  MPI_Group all;
  MPI_Init(&argc, &argv);
  int peer, nothing = argc > 1 ? 0 : MPI_MODE_NOSTORE;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &peer, &other);
  MPI_Win_allocate(16 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  a_fence(rank == 1 ? nothing : 0);
  an_exposure(nothing);
  MPI_Win_free(&win);
  MPI_Group_free(&other);
  MPI_Group_free(&all);
  if (rank == 0) fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
