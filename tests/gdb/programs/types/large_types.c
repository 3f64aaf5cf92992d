// SPDX-License-Identifier: MIT
// The program of test_large_types.py: legal datatypes with very many entries.
#include <limits.h>
#include <mpi.h>

#include "../mark.h"

static int number = 7;
static char letter = 'x';
static double pairs[2] = {1.5, 2.5};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype still, flat, letters, mixed, blocks, far, narrow;
  MPI_Type_vector(INT_MAX, 1, 0, MPI_INT, &still);

  MPI_Type_create_resized(MPI_CHAR, 0, 0, &narrow);
  MPI_Type_contiguous(INT_MAX, narrow, &letters);
  MPI_Type_free(&narrow);

  // The fields differ, so this is no array, and its entries are visited one by one.
  int blocklengths[2] = {1, 1};
  MPI_Aint offsets[2] = {8, 0};
  MPI_Type_create_hindexed(2, blocklengths, offsets, MPI_DOUBLE, &blocks);
  MPI_Type_create_resized(blocks, 0, 0, &narrow);
  MPI_Type_contiguous(INT_MAX, narrow, &mixed);
  MPI_Type_create_resized(MPI_INT, 0, 0, &flat);

  MPI_Type_free(&narrow);
  MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 46, &narrow);
  MPI_Type_contiguous(131071, narrow, &far);
  mark();
  (void)number, (void)letter, (void)pairs;
  MPI_Finalize();
  return 0;
}
