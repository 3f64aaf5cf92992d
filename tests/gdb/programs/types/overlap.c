// SPDX-License-Identifier: MIT
// The program of test_overlap.py.
#include <mpi.h>

#include "../mark.h"

static double matrix[4][6];
static char memory[256];

// The struct of figure 1 of the paper; the markers MPI_LB and MPI_UB are MPI_Type_create_resized
// now.
static MPI_Datatype make_figure1(void) {
  MPI_Datatype inner, made, types[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  int blocklengths[3] = {5, 7, 2};
  MPI_Aint displacements[3] = {0, 47, 76};
  MPI_Type_create_struct(3, blocklengths, displacements, types, &inner);
  MPI_Type_create_resized(inner, -4, 104, &made);
  MPI_Type_commit(&made);
  return made;
}

static MPI_Datatype every(MPI_Aint stride, MPI_Datatype type) {
  MPI_Datatype made;
  MPI_Type_create_hvector(1000000000, 1, stride, type, &made);
  MPI_Type_commit(&made);
  return made;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype s_type = make_figure1(), column, row, crossed, pair, pairs, absolute, dense, dup;
  MPI_Type_vector(4, 1, 6, MPI_DOUBLE, &column);
  MPI_Type_contiguous(6, MPI_DOUBLE, &row);
  MPI_Type_vector(3, 2, 1, MPI_INT, &crossed);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8},
                         (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
  MPI_Type_contiguous(1000000, pair, &pairs);
  MPI_Type_create_resized(column, 0, 2 * sizeof(double), &dense);
  MPI_Type_dup(MPI_SHORT_INT, &dup);
  MPI_Aint place;
  MPI_Get_address(&matrix[1][2], &place);
  MPI_Type_create_hindexed(1, (int[]){1}, &place, MPI_DOUBLE, &absolute);
  MPI_Datatype sevens = every(7000003, MPI_CHAR), nines = every(9000011, MPI_CHAR);
  MPI_Datatype evens = every(10, MPI_INT), list[1] = {column}, blocks = column;
  int n = 2;
  mark();
  (void)s_type, (void)crossed, (void)pairs, (void)sevens, (void)nines, (void)evens, (void)list;
  (void)n, (void)row, (void)blocks, (void)dense, (void)dup, (void)absolute, (void)memory;
  MPI_Finalize();
  return 0;
}
