// SPDX-License-Identifier: MIT
// The program of test_match.py.
#include <mpi.h>

#include "../mark.h"

static MPI_Datatype structure(int count, const int blocklengths[], const MPI_Aint offsets[],
                              const MPI_Datatype types[]) {
  MPI_Datatype made;
  MPI_Type_create_struct(count, blocklengths, offsets, types, &made);
  MPI_Type_commit(&made);
  return made;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype types[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype others[3] = {MPI_INT, MPI_SIGNED_CHAR, MPI_DOUBLE};
  MPI_Datatype s_type = structure(3, (int[]){5, 7, 2}, (MPI_Aint[]){0, 20, 32}, types);
  MPI_Datatype other = structure(3, (int[]){5, 7, 2}, (MPI_Aint[]){0, 20, 32}, others);
  MPI_Datatype pair =
      structure(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE});
  MPI_Datatype row, column, odd, bytes, empty, long_int, real;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &column);
  MPI_Type_contiguous(1000, pair, &row);
  MPI_Type_indexed(3, (int[]){1, 0, 2}, (int[]){4, 9, 0}, MPI_DOUBLE_INT, &odd);
  MPI_Type_contiguous(40, MPI_BYTE, &bytes);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_contiguous(2, MPI_LONG_LONG, &long_int);
  MPI_Type_create_f90_real(15, 300, &real);
  MPI_Type_set_name(MPI_FLOAT, "MPI_DOUBLE");
  int n = 4, with = 2, typesig = 123456;
  MPI_Datatype matches[2] = {row, pair}, null = MPI_DATATYPE_NULL;
  MPI_Comm world = MPI_COMM_WORLD;
  mark();
  (void)s_type, (void)other, (void)odd, (void)bytes, (void)empty, (void)long_int, (void)real;
  (void)n, (void)with, (void)typesig, (void)matches, (void)null, (void)world, (void)column;
  MPI_Finalize();
  return 0;
}
