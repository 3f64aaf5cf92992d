// SPDX-License-Identifier: MIT
// Objects that are made, named, queried and freed.
#ifndef OBJECTS_H
#define OBJECTS_H
#include "traffic.h"

static void groups(void) {
  int first[] = {0}, range[1][3] = {{0, size - 1, 1}}, there;
  MPI_Group all, one, rest, both, none, part;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, 1, first, &one);
  MPI_Group_excl(all, 1, first, &rest);
  MPI_Group_union(one, rest, &both);
  MPI_Group_intersection(one, rest, &none);
  MPI_Group_difference(all, one, &part);
  MPI_Group_translate_ranks(one, 1, first, all, &there);
  MUST(there == 0);
  MPI_Group_free(&part);
  MPI_Group_range_excl(all, 1, range, &part);
  MPI_Group_size(part, &there);
  MUST(there == 0);
  MPI_Group_free(&all);
  MPI_Group_free(&one);
  MPI_Group_free(&rest);
  MPI_Group_free(&both);
  if (none != MPI_GROUP_EMPTY) MPI_Group_free(&none);
  if (part != MPI_GROUP_EMPTY) MPI_Group_free(&part);
}

static void topologies(void) {
  int dims[] = {0, 0}, wrap[] = {1, 1}, at[2], there, from, to, edges[] = {0}, index[] = {1};
  MPI_Comm grid;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_map(comm, 2, dims, wrap, &there);
  MPI_Graph_map(comm, 1, index, edges, &there);
  MPI_Cart_create(comm, 2, dims, wrap, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  at[0] -= dims[0]; // the grid is periodic
  MPI_Cart_rank(grid, at, &there);
  MPI_Cart_shift(grid, 0, 1, &from, &to);
  MPI_Sendrecv(out, 2, MPI_INT, to, tag, in, 2, MPI_INT, from, tag, grid, MPI_STATUS_IGNORE);
  MPI_Comm_disconnect(&grid);
}

static void goes_on(MPI_Comm *of, int *code, ...) {
  (void)of, (void)code;
}

static void infos_and_handlers(void) {
  MPI_Info info, again;
  MPI_Errhandler handler, before;
  MPI_Comm copy;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_dup(info, &again);
  MPI_Info_delete(again, "key");
  MPI_Info_free(&again);
  MPI_Comm_dup_with_info(comm, info, &copy);
  MPI_Comm_set_info(copy, info);
  MPI_Info_free(&info);
  MPI_Comm_get_info(copy, &info);
  MPI_Info_free(&info);
  MPI_Comm_set_name(copy, "copy");
  MPI_Comm_create_errhandler(goes_on, &handler);
  MPI_Comm_get_errhandler(copy, &before);
  MPI_Comm_set_errhandler(copy, handler);
  MPI_Errhandler_free(&handler);
  dawdle();
  MPI_Barrier(copy);
  MPI_Comm_set_errhandler(copy, before);
  if (before != MPI_ERRORS_ARE_FATAL && before != MPI_ERRORS_RETURN) MPI_Errhandler_free(&before);
  MPI_Comm_free(&copy);
}

static void datatypes(void) {
  int numbers[4], count, places, types, combiner;
  MPI_Aint apart[1];
  MPI_Datatype old[1], pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_set_name(pair, "pair");
  MPI_Type_commit(&pair);
  MPI_Type_get_envelope(pair, &count, &places, &types, &combiner);
  MPI_Type_get_contents(pair, count, places, types, numbers, apart, old);
  MUST(numbers[0] == 2 && old[0] == MPI_INT);
  MPI_Sendrecv(out, 2, pair, right, tag, in, 4, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
}

static void (*const OBJECTS[])(void) = {groups, topologies, infos_and_handlers, datatypes};

#endif
