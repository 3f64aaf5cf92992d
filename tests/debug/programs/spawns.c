// SPDX-License-Identifier: MIT
#include <mpi.h>
#include <stdio.h>

// Two ranks start two more, which run the same program.
int main(int argc, char **argv) {
  MPI_Comm parent, others;
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  else
    others = parent;
  MPI_Barrier(others);
  printf("%s %d: value %d\n", parent == MPI_COMM_NULL ? "parent" : "child", rank, value);
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
