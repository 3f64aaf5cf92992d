// SPDX-License-Identifier: MIT
// One process with the mistake that the first argument names.

#include <mpi.h>
#include <string.h>

static double first[8], second[8];

static MPI_Datatype four_at(double *where) {
  MPI_Aint address;
  MPI_Datatype absolute;
  MPI_Get_address(where, &address);
  MPI_Type_create_hindexed_block(1, 4, &address, MPI_DOUBLE, &absolute);
  MPI_Type_commit(&absolute);
  return absolute;
}

static void bottom(void) {
  MPI_Alltoall(MPI_BOTTOM, 1, four_at(first), MPI_BOTTOM, 1, four_at(first + 2), MPI_COMM_WORLD);
}

static void root(void) {
  MPI_Reduce(first, second, 1, MPI_DOUBLE, MPI_SUM, MPI_ROOT, MPI_COMM_WORLD);
}

static void grid(void) {
  const int sizes[1] = {10}, processes[1] = {3}, distributions[1] = {MPI_DISTRIBUTE_BLOCK};
  const int defaults[1] = {MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype part;
  MPI_Type_create_darray(2, 0, 1, sizes, distributions, defaults, processes, MPI_ORDER_C, MPI_INT,
                         &part);
}

static void again(void) {
  MPI_Request requests[3];
  for (int i = 0; i < 3; i++) MPI_Irecv(first, 4, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  const char *mistake = argv[1];
  MPI_Init(&argc, &argv);
  if (!strcmp(mistake, "bottom")) bottom();
  if (!strcmp(mistake, "root")) root();
  if (!strcmp(mistake, "grid")) grid();
  if (!strcmp(mistake, "again")) again();
}
