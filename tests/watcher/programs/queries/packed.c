// SPDX-License-Identifier: MIT
// The size of a packed buffer is the number of elements, not of bytes. It is wrong in MPI_Pack, or
// in MPI_Unpack.
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv) {
  double values[100] = {0};
  char packed[1000];
  int number = 100, position = 0, bytes = (int)sizeof packed;
  int packs = argc > 1 && !strcmp(argv[1], "pack"),
      unpacks = argc > 1 && !strcmp(argv[1], "unpack");
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Pack(&number, 1, MPI_INT, packed, bytes, &position, MPI_COMM_WORLD);
  MPI_Pack(values, number, MPI_DOUBLE, packed, packs ? number : bytes, &position, MPI_COMM_WORLD);
  position = 4;
  MPI_Unpack(packed, unpacks ? number : bytes, &position, values, number, MPI_DOUBLE,
             MPI_COMM_WORLD);
  MPI_Finalize();
}
