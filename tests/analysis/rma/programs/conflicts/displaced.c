// SPDX-License-Identifier: MIT
// Accumulates with one operation and basic datatype, whose elements overlap at different (with an
// argument: equal) displacements. Reads may always overlap. Three processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 64 };
static int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, result[8];
static MPI_Datatype odd; // ints at bytes 0 and 6
static MPI_Win window;
static int rank, shift;

#define SUM(place, count, type)                                                                    \
  MPI_Accumulate(ones, count, type, 1, place, count, type, MPI_SUM, window)
#define NO_OP(place)                                                                               \
  MPI_Get_accumulate(NULL, 0, MPI_INT, result, 1, MPI_INT, 1, place, 1, MPI_INT, MPI_NO_OP, window)

static void two_processes(void) {
  if (rank != 1) SUM(rank ? shift : 0, 1, MPI_INT);
}

static void one_process(void) {
  if (rank == 0) SUM(0, 1, MPI_INT);
  if (rank == 0) SUM(shift, 1, MPI_INT);
}

static void one_reads(void) {
  if (rank == 0) SUM(0, 1, MPI_INT);
  if (rank == 2) NO_OP(shift);
}

static void both_read(void) {
  if (rank != 1) NO_OP(rank);
}

static void vector(void) {
  if (rank == 0) SUM(0, 1, odd);
  if (rank == 2) SUM(shift ? 4 : 6, 1, MPI_INT);
}

static void within_the_next(void) {
  if (rank == 0) SUM(shift, 1, MPI_INT);
  if (rank == 0) SUM(0, 4, MPI_INT);
  if (rank == 2) SUM(4, 1, MPI_INT);
}

// A short, a gap and an int: members at equal places begin at the same displacement.
static void pairs(void) {
  if (rank != 1)
    MPI_Accumulate(ones, rank + 1, MPI_SHORT_INT, 1, 0, rank + 1, MPI_SHORT_INT, MPI_MAXLOC,
                   window);
}

int main(int argc, char **argv) {
  (void)argv;
  void (*const cases[])(void) = {two_processes, one_process,     one_reads, both_read,
                                 vector,        within_the_next, pairs};
  char *memory;
  shift = argc > 1 ? 0 : 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(N, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Type_create_hvector(2, 1, 6, MPI_INT, &odd);
  MPI_Type_commit(&odd);
  MPI_Win_fence(0, window);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cases[i]();
    MPI_Win_fence(0, window);
  }
  MPI_Type_free(&odd);
  MPI_Win_free(&window);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
