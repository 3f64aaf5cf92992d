// SPDX-License-Identifier: MIT
// A process stores to the memory before a window whose address is no multiple of 16. Another puts
// into the window, without a conflict. The program prints how far MPI has moved the window down
// (MPICH 4.0: 8 bytes, so it puts beside the window). Two processes.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  static int memory[64] __attribute__((aligned(64)));
  int rank, value = 7, known, *begin = memory + 10, *said = NULL;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(begin, 10 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &said, &known);
  MPI_Win_fence(0, win);
  if (rank == 0)
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  else
    begin[-2] = argc;
  MPI_Win_fence(0, win);
  if (rank == 1) printf("%d\n", (int)((char *)begin - (char *)said));
  MPI_Win_free(&win);
  MPI_Finalize();
}
