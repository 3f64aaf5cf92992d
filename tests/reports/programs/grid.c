// SPDX-License-Identifier: MIT
// A library that the program uses.
#include "grid.h"

void grid_setup(MPI_Datatype *row) {
  MPI_Type_contiguous(3, MPI_INT, row);
}
