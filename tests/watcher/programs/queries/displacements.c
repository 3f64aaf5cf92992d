// SPDX-License-Identifier: MIT
// Displacements that an int cannot hold; "fixed": in larger units. "mapped": there is memory at the
// wrapped displacements. "far": a datatype leads to unmapped memory.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const long CELLS = 1500000000;

static char *reserved(long bytes) {
  void *found = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return (char *)found;
}

static void gather(int is_fixed, char *all) {
  int size, rank, counts[4], displs[4], part = 4;
  const long unit = is_fixed ? 4 : 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < size; i++) {
    counts[i] = (int)(4 / unit);
    displs[i] = (int)(i * CELLS / unit);
  }
  MPI_Datatype type = is_fixed ? MPI_INT : MPI_CHAR;
  MPI_Gatherv(&part, counts[0], type, all, counts, displs, type, 0, MPI_COMM_WORLD);
}

static void far(int is_fixed, char *all) {
  int length = 1, rank, value = 1;
  MPI_Aint away = is_fixed ? CELLS : -((MPI_Aint)1 << 44);
  MPI_Datatype type;
  MPI_Type_create_hindexed(1, &length, &away, MPI_INT, &type);
  MPI_Aint ends[2] = {0, away};
  int lengths[2] = {1, 1};
  MPI_Type_free(&type);
  MPI_Type_create_hindexed(2, lengths, ends, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(all, 1, type, 1, 0, MPI_COMM_WORLD, &request); // one element comes
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  const int is_fixed = argc > 2 && !strcmp(argv[2], "fixed");
  MPI_Init(&argc, &argv);
  const long below = strcmp(argv[1], "mapped") ? 0 : 3 * CELLS;
  char *all = reserved(below + 4 * CELLS + 4) + below;
  if (strcmp(argv[1], "far"))
    gather(is_fixed, all);
  else
    far(is_fixed, all);
  MPI_Finalize();
  return 0;
}
