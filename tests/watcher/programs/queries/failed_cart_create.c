// SPDX-License-Identifier: MIT
// MPI_Cart_create fails, and the program uses the null communicator twice. "file": MPI_File_open
// fails before.
#include <mpi.h>

int main(int argc, char **argv) {
  int dims[2] = {2, 2}, periods[2] = {0, 0}, coords[2];
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (argc > 1) {
    MPI_File file = MPI_FILE_NULL;
    MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, 0, 2, coords);
  MPI_Comm_free(&grid);
  MPI_Finalize();
}
