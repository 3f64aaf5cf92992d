// SPDX-License-Identifier: MIT
// Rank 0 and rank 2 put to the same bytes of rank 1. A collective call in between sends data
// from rank 0 to rank 2. With an argument, it has no data, and orders nothing. Three
// processes.
#include <mpi.h>
#include <stdio.h>

static MPI_Win win;
static MPI_Datatype some; // some MPI_INTs, or none
static int rank, count, one = 1, memory[4], data[4], more[4];

#define put_1()                                                                                    \
  do {                                                                                             \
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);                                                      \
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);                                              \
    MPI_Win_unlock(1, win);                                                                        \
  } while (0)
#define BETWEEN(NAME, CALL)                                                                        \
  static void NAME(void) {                                                                         \
    if (rank == 0) put_1();                                                                        \
    CALL;                                                                                          \
    if (rank == 2) put_1();                                                                        \
    MPI_Barrier(MPI_COMM_WORLD);                                                                   \
  }
#define ALL MPI_INT, MPI_COMM_WORLD
#define ALL_SUM MPI_INT, MPI_SUM, MPI_COMM_WORLD

static void each_v(void) {
  const int counts[] = {count, count, count}, places[] = {0, 1, 2};
  MPI_Alltoallv(data, counts, places, MPI_INT, more, counts, places, ALL);
}
static void each_of_no_bytes(void) {
  const int counts[] = {1, 1, 1}, places[] = {0, 1, 2};
  MPI_Alltoallv(data, counts, places, some, more, counts, places, some, MPI_COMM_WORLD);
}
static void each_w_of_no_bytes(void) {
  const int counts[] = {1, 1, 1}, places[] = {0, 4, 8};
  const MPI_Datatype types[] = {some, some, some};
  MPI_Request request;
  MPI_Ialltoallw(data, counts, places, types, more, counts, places, types, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void later(void) {
  MPI_Request request;
  MPI_Iallgather(data, count, MPI_INT, more, count, ALL, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

BETWEEN(bcast, MPI_Bcast(data, count, MPI_INT, 0, MPI_COMM_WORLD))
BETWEEN(scatter, MPI_Scatter(data, count, MPI_INT, more, count, MPI_INT, 0, MPI_COMM_WORLD))
BETWEEN(gather, MPI_Gather(data, count, MPI_INT, more, count, MPI_INT, 2, MPI_COMM_WORLD))
BETWEEN(reduce, MPI_Reduce(data, more, count, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD))
BETWEEN(allgather, MPI_Allgather(data, count, MPI_INT, more, count, ALL))
BETWEEN(allreduce, MPI_Allreduce(data, more, count, ALL_SUM))
BETWEEN(alltoall, MPI_Alltoall(data, count, MPI_INT, more, count, ALL))
BETWEEN(alltoallv, each_v())
BETWEEN(scan, MPI_Scan(data, more, count, ALL_SUM))
BETWEEN(reduce_scatter, MPI_Reduce_scatter_block(data, more, count, ALL_SUM))
BETWEEN(iallgather, later())
BETWEEN(alltoallv_of_no_bytes, each_of_no_bytes())
BETWEEN(ialltoallw_of_no_bytes, each_w_of_no_bytes())

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  count = argc == 1;
  MPI_Type_contiguous(count, MPI_INT, &some);
  MPI_Type_commit(&some);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
#ifndef OPEN_MPI                // Open MPI refuses the lock
  for (int i = 0; i < 2; i++) { // orders nothing, either
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
    MPI_Put(&one, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_unlock(MPI_PROC_NULL, win);
  }
#endif
  void (*const cases[])(void) = {bcast,
                                 scatter,
                                 gather,
                                 reduce,
                                 allgather,
                                 allreduce,
                                 alltoall,
                                 alltoallv,
                                 scan,
                                 reduce_scatter,
                                 iallgather,
                                 alltoallv_of_no_bytes,
                                 ialltoallw_of_no_bytes};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) cases[i]();
  MPI_Win_free(&win);
  MPI_Type_free(&some);
  if (rank == 0) fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
