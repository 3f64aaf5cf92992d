// SPDX-License-Identifier: MIT
// Rank 0 puts to a dynamic window of rank 1, whose memory is attached at that time. In the named
// cases it is not attached, or need not be. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 16 };
static int rank, values[N], memory[N];
static MPI_Aint there;
static MPI_Win win;

static void attach(int number) {
  if (rank == 1) MPI_Win_attach(win, memory, (MPI_Aint)sizeof *memory * number);
}
static void detach(void) {
  if (rank == 1) MPI_Win_detach(win, memory);
}
static void put(void) {
  if (rank) return;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  MPI_Put(values, N, MPI_INT, 1, there, N, MPI_INT, win);
  MPI_Win_unlock(1, win);
}
static void order(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static void never_attached(void) {
  put();
}
static void detached_before(void) {
  attach(N);
  order();
  detach();
  order();
  put();
}
static void attached_after(void) {
  put();
  order();
  attach(N);
  detach();
}
static void attached_in_part(void) {
  attach(N / 2);
  order();
  put();
  order();
  detach();
}
static void not_ordered(void) {
  attach(N);
  put();
  order();
  detach();
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"never_attached", never_attached},
               {"detached_before", detached_before},
               {"attached_after", attached_after},
               {"attached_in_part", attached_in_part},
               {"not_ordered", not_ordered}};
  const char *name = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (rank == 1) MPI_Get_address(memory, &there);
  MPI_Bcast(&there, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (!strcmp(name, cases[i].name)) cases[i].run();
  if (!*name) {
    attach(N);
    order();
    put();
    order();
    detach();
  }
  order();
  MPI_Win_free(&win);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
