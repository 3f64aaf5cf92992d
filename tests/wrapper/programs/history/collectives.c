// SPDX-License-Identifier: MIT
// Nonblocking and persistent collective operations on two processes. The caller's arrays are
// overwritten as soon as the call returns, even if the standard forbids it.
#include "probe.h"

static int in[64], out[64], rank, other;
static MPI_Comm world = MPI_COMM_WORLD;
static MPI_Request request;
static MPI_Datatype vector;

// Only the wrapper may still read its copies when the program stops. For MPI the operation is
// complete only after the wait, so the arrays are restored before that.
#define STOP(name, ...)                                                                            \
  do {                                                                                             \
    int saved[8];                                                                                  \
    memcpy(saved, counts, sizeof saved);                                                           \
    memset(counts, 0x5a, sizeof saved);                                                            \
    look(name);                                                                                    \
    memcpy(counts, saved, sizeof saved);                                                           \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                         \
  } while (0)

// Counts 2 and 3, displacements 1 and 4; in bytes, displacements 8 and 80, and counts of one.
static int counts[8] = {2, 3, 1, 4, 8, 80, 1, 1};

static void nonblocking(void) {
  int *places = counts + 2, *bytes = counts + 4, *ones = counts + 6;
  MPI_Datatype types[] = {MPI_INT, vector}, mine[] = {types[rank], types[rank]};
  MPI_Ibcast(in, 4, MPI_INT, 1, world, &request);
  STOP("ibcast");
  MPI_Igatherv(out, 2 + rank, MPI_INT, in, rank ? NULL : counts, rank ? NULL : places, MPI_INT, 0,
               world, &request);
  STOP("igatherv");
  MPI_Iscatterv(out, rank ? NULL : counts, rank ? NULL : places, MPI_INT, in, 2 + rank, MPI_INT, 0,
                world, &request);
  STOP("iscatterv");
  MPI_Iallgatherv(out, 2 + rank, MPI_INT, in, counts, places, MPI_INT, world, &request);
  STOP("iallgatherv");
  MPI_Ialltoallv(out, ones, places, MPI_INT, in, ones, places, MPI_INT, world, &request);
  STOP("ialltoallv");
  MPI_Ialltoallw(out, ones, bytes, mine, in, ones, bytes, types, world, &request);
  memset(types, 0, sizeof types);
  look("ialltoallw");
  types[0] = MPI_INT, types[1] = vector;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, world, &request);
  STOP("ireduce_scatter");
  MPI_Ireduce(out, in, 5, MPI_INT, MPI_SUM, 0, world, &request);
  STOP("ireduce");
}

static void persistent(void) {
#ifdef MPIPP_HAVE_Bcast_init
  MPI_Bcast_init(in, 4, MPI_INT, 1, world, MPI_INFO_NULL, &request);
  SAY(request);
  look("bcast_init");
  MPI_Start(&request);
  look("bcast started");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  MPI_Alltoallv_init(out, counts + 6, counts + 2, MPI_INT, in, counts + 6, counts + 2, MPI_INT,
                     world, MPI_INFO_NULL, &request);
  SAY(request);
  look("alltoallv_init");
  MPI_Request_free(&request);
#endif
}

int main(void) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(world, &rank);
  other = 1 - rank;
  MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  NUMBER(rank), ADDRESS(in), ADDRESS(out), SAY(vector);
  look("start");
  nonblocking();
  MPI_Type_free(&vector);
  persistent();
  MPI_Barrier(world);
  look("end");
  MPI_Finalize();
  return 0;
}
