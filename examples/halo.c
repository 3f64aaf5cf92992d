// SPDX-License-Identifier: MIT
// A row of cells over several processes: each exchanges the cells at its ends with its neighbors.
// It hangs: docs/tutorials/hang.md finds out why.
#include <mpi.h>
#include <stdlib.h>

enum { CELLS = 1000, TO_RIGHT = 1, TO_LEFT = 2 };

static double cells[CELLS + 2];
static int rank, size;

static void exchange(void) {
  MPI_Status status;
  if (rank < size - 1) MPI_Send(&cells[CELLS], 1, MPI_DOUBLE, rank + 1, TO_RIGHT, MPI_COMM_WORLD);
  if (rank > 0) MPI_Send(&cells[1], 1, MPI_DOUBLE, rank - 1, TO_LEFT, MPI_COMM_WORLD);
  if (rank == size - 1) // the last one has no neighbor at its right
    MPI_Recv(&cells[0], 1, MPI_DOUBLE, rank - 1, TO_LEFT, MPI_COMM_WORLD, &status);
  else if (rank > 0)
    MPI_Recv(&cells[0], 1, MPI_DOUBLE, rank - 1, TO_RIGHT, MPI_COMM_WORLD, &status);
  if (rank < size - 1)
    MPI_Recv(&cells[CELLS + 1], 1, MPI_DOUBLE, rank + 1, TO_LEFT, MPI_COMM_WORLD, &status);
}

static double relax(long rounds) {
  double sum = 0;
  for (long i = 0; i < rounds; i++) sum += cells[1 + i % CELLS] *= 0.5;
  return sum;
}

int main(int argc, char **argv) {
  double part, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 2) exchange();
  part = relax(argc > 1 && rank == 2 ? atol(argv[1]) : CELLS); // rank 2 has more to do
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
}
