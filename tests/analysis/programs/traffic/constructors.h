// SPDX-License-Identifier: MIT
// Data of each datatype constructor goes around the ring, and is received as plain doubles.
#ifndef CONSTRUCTORS_H
#define CONSTRUCTORS_H
#include "point_to_point.h"

// Returns a contiguous type of this many doubles.
static void goes_around(MPI_Datatype type, int doubles) {
  MPI_Datatype again;
  MPI_Type_commit(&type);
  send_as(type, 1, MPI_DOUBLE, doubles);
  MPI_Type_dup(type, &again);
  MPI_Type_free(&type);
  send_as(again, 2, MPI_DOUBLE, 2 * doubles);
  MPI_Type_free(&again);
}

static void constructors(void) {
  int n = 2 * (2 + draw(10)), places[] = {n, 0}, lengths[] = {1, 3}, whole[] = {size * n, n};
  int blocks[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, grid[] = {size, 1};
  int usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Aint apart[] = {8 * n, 0};
  MPI_Datatype type;
  MPI_Type_contiguous(n, MPI_DOUBLE, &type), goes_around(type, n);
  MPI_Type_create_hvector(n, 1, 24, MPI_DOUBLE, &type), goes_around(type, n);
  MPI_Type_create_hindexed(2, lengths, apart, MPI_DOUBLE, &type), goes_around(type, 4);
  MPI_Type_create_indexed_block(2, 2, places, MPI_DOUBLE, &type), goes_around(type, 4);
  MPI_Type_create_hindexed_block(2, 2, apart, MPI_DOUBLE, &type), goes_around(type, 4);
  MPI_Type_create_darray(size, rank, 2, whole, blocks, usual, grid, MPI_ORDER_FORTRAN, MPI_DOUBLE,
                         &type);
  goes_around(type, n * n);
}

static void large_constructors(void) {
#if MPI_VERSION >= 4
  MPI_Count n = 2 * (2 + draw(10)), lengths[] = {1, 3}, places[] = {n, 0}, apart[] = {8 * n, 0};
  MPI_Count whole[] = {n, n}, part[] = {n / 2, 1}, from[] = {n / 2, 0};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Datatype type;
  MPI_Type_contiguous_c(n, MPI_DOUBLE, &type), goes_around(type, (int)n);
  MPI_Type_vector_c(n, 1, 3, MPI_DOUBLE, &type), goes_around(type, (int)n);
  MPI_Type_create_hvector_c(n, 1, 24, MPI_DOUBLE, &type), goes_around(type, (int)n);
  MPI_Type_indexed_c(2, lengths, places, MPI_DOUBLE, &type), goes_around(type, 4);
  MPI_Type_create_hindexed_c(2, lengths, apart, MPI_DOUBLE, &type), goes_around(type, 4);
  MPI_Type_create_indexed_block_c(2, 2, places, MPI_DOUBLE, &type), goes_around(type, 4);
  MPI_Type_create_hindexed_block_c(2, 2, apart, MPI_DOUBLE, &type), goes_around(type, 4);
  MPI_Type_create_struct_c(2, lengths, apart, types, &type), goes_around(type, 4);
  MPI_Type_create_subarray_c(2, whole, part, from, MPI_ORDER_C, MPI_DOUBLE, &type);
  goes_around(type, (int)n / 2);
  MPI_Type_create_resized_c(MPI_DOUBLE, -8, 24, &type), goes_around(type, 1);
#endif
}

static void (*const CONSTRUCTORS[])(void) = {constructors, large_constructors};

#endif
