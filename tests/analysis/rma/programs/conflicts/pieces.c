// SPDX-License-Identifier: MIT
// Puts with datatypes of as many pieces as mpipp checks, and of more.
#include <mpi.h>
#include <stdio.h>

enum { MOST = 20000 };
static int value[3 * MOST], where[MOST];

static void put(int pieces, MPI_Win win) {
  MPI_Datatype type;
  MPI_Type_create_indexed_block(pieces, 1, where, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Put(value, pieces, MPI_INT, 1, 0, 1, type, win);
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  int rank, *memory;
  MPI_Win win;
  (void)argv;
  // Pieces without a constant stride.
  unsigned random = 1;
  for (int i = 0; i < MOST; i++) {
    random = random * 1103515245u + 12345u;
    where[i] = 3 * i + (int)(random >> 16 & 1);
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(3 * MOST * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &memory, &win);
  for (int times = 0; times < 2; times++) {
    MPI_Win_fence(0, win);
    if (rank == 0) put(MOST / 2, win);
    MPI_Win_fence(0, win);
    if (rank == 0) put(argc > 1 ? MOST : MOST / 2, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  }
  MPI_Win_free(&win);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
