// SPDX-License-Identifier: MIT
// Operations whose datatype for written data has overlapping entries; with an argument, it has
// none. Entries of data that is only read may overlap. Two processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 16 };
static int mine[N], result[N];
static MPI_Datatype type;
static MPI_Win window;

static void put(void) {
  MPI_Put(mine, 4, MPI_INT, 1, 0, 1, type, window);
}

static void accumulate(void) {
  MPI_Accumulate(mine, 4, MPI_INT, 1, 4, 1, type, MPI_SUM, window);
}

static void get(void) {
  MPI_Get(mine + 8, 1, type, 1, 8, 4, MPI_INT, window);
}

static void get_accumulate(void) {
  MPI_Get_accumulate(mine, 4, MPI_INT, result, 1, type, 1, 12, 4, MPI_INT, MPI_SUM, window);
}

static void reads(void) {
  MPI_Put(mine, 1, type, 1, 0, 4, MPI_INT, window);
  MPI_Win_flush(1, window);
  MPI_Get(result, 4, MPI_INT, 1, 0, 1, type, window);
}

int main(int argc, char **argv) {
  (void)argv;
  void (*const cases[])(void) = {put, accumulate, get, get_accumulate, reads};
  int rank, *memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(2, 2, argc > 1 ? 2 : 1, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  for (size_t i = 0; rank == 0 && i < sizeof cases / sizeof *cases; i++) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    cases[i]();
    MPI_Win_unlock(1, window);
  }
  MPI_Type_free(&type);
  MPI_Win_free(&window);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
