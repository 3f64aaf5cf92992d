// SPDX-License-Identifier: MIT
// Rank 0 writes into the mailbox of rank 1, and tells rank 2, which reads it from there. With an
// argument it tells before the letter has arrived.
#include <mpi.h>
#include <stdio.h>

static double letter[4] = {1, 2, 3, 4};

static void write_letter(MPI_Win box, int early) {
  MPI_Put(letter, 4, MPI_DOUBLE, 1, 0, 4, MPI_DOUBLE, box);
  if (early)
    MPI_Win_flush_local(1, box);
  else
    MPI_Win_flush(1, box);
  MPI_Send(NULL, 0, MPI_BYTE, 2, 0, MPI_COMM_WORLD);
}

static void read_letter(MPI_Win box) {
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Get(letter, 4, MPI_DOUBLE, 1, 0, 4, MPI_DOUBLE, box);
  MPI_Win_flush(1, box);
  printf("rank 2 has read the letter\n");
}

int main(int argc, char **argv) {
  int rank;
  double *memory;
  MPI_Win box;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(32, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &box);
  MPI_Win_lock_all(0, box);
  if (rank == 0) write_letter(box, argc > 1);
  if (rank == 2) read_letter(box);
  MPI_Win_unlock_all(box);
  MPI_Win_free(&box);
  MPI_Finalize();
}
