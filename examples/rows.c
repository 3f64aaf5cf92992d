// SPDX-License-Identifier: MIT
// Rank 0 sends rows. "free": it frees the types; "wrong": rank 3 gets floats; "crash": rank 2 dies.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is(int argc, char **argv, const char *what) {
  return argc > 1 && strcmp(argv[1], what) == 0;
}

int main(int argc, char **argv) {
  double matrix[8][5] = {{0}}, *row = calloc(5, sizeof *row);
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) printf("rank 0 sends %d rows\n", size - 1), fflush(stdout);
  for (int peer = 1; rank == 0 && peer < size; peer++) {
    MPI_Datatype type;
    MPI_Type_contiguous(5, MPI_DOUBLE, &type), MPI_Type_commit(&type);
    MPI_Send(matrix[peer], 1, type, peer, 0, MPI_COMM_WORLD);
    if (argc > 1) MPI_Type_free(&type);
  }
  // The launcher ends all when rank 2 dies, which it may do as soon as it has its row. Rank 0 has
  // printed its line before.
  if (rank > 0) {
    if (rank == 3 && is(argc, argv, "wrong"))
      MPI_Recv(row, 10, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Recv(row, 5, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2 && is(argc, argv, "crash")) raise(SIGSEGV);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  free(row);
  MPI_Finalize();
}
