// SPDX-License-Identifier: MIT
// One error of each kind between two processes, which then stop: traffic.c plants it.
#ifndef PLANTED_H
#define PLANTED_H
#include <dlfcn.h>

#include "traffic.h"

// stops.c holds the next call before MPI gets it, so the call has no effect.
static void hold(void) {
  volatile int *flag = dlsym(RTLD_DEFAULT, "stops_hold");
  MUST(flag != NULL);
  *flag = 1;
}

// Operations that are pending at this point remain pending.
static void stay(void) {
  hold();
  MPI_Barrier(comm);
}

static void type(void) {
  hold();
  if (rank == 0) MPI_Send(out, 4, MPI_INT, 1, tag, comm);
  if (rank == 1) MPI_Recv(in, 4, MPI_FLOAT, 0, tag, comm, MPI_STATUS_IGNORE);
}

static void pending_type(void) {
  MPI_Request r;
  if (rank == 0) MPI_Isend(out, 4, MPI_INT, 1, tag, comm, &r);
  if (rank == 1) MPI_Irecv(in, 8, MPI_FLOAT, 0, tag, comm, &r);
  stay();
}

static void any_type(void) {
  hold();
  if (rank == 0) MPI_Ssend(out, 4, MPI_INT, 1, tag, comm);
  if (rank == 1) MPI_Recv(in, 4, MPI_FLOAT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
}

static void truncated(void) {
  MPI_Request r;
  if (rank == 1) MPI_Irecv(in, 4, MPI_INT, 0, tag, comm, &r);
  if (rank == 0) MPI_Isend(out, 5, MPI_INT, 1, tag, comm, &r);
  stay();
}

static void root(void) {
  hold();
  MPI_Bcast(in, 4, MPI_DOUBLE, rank, comm);
}

static void op(void) {
  hold();
  MPI_Allreduce(out, in, 4, MPI_DOUBLE, rank ? MPI_MAX : MPI_SUM, comm);
}

static void procedure(void) {
  hold();
  if (rank == 0) MPI_Bcast(in, 4, MPI_DOUBLE, 0, comm);
  if (rank == 1) MPI_Barrier(comm);
}

static void form(void) {
  MPI_Request r;
  hold();
  if (rank == 0) MPI_Barrier(comm);
  if (rank == 1) MPI_Ibarrier(comm, &r);
}

static void signature(void) {
  hold();
  MPI_Bcast(in, 4, rank ? MPI_FLOAT : MPI_INT, 0, comm);
}

static void length(void) {
  hold();
  MPI_Allgather(out, 4 + rank, MPI_DOUBLE, in, 4 + rank, MPI_DOUBLE, comm);
}

static void receives_overlap(void) {
  MPI_Request r[2];
  if (rank == 0) {
    MPI_Irecv(in, 4, MPI_DOUBLE, 1, tag, comm, &r[0]);
    MPI_Irecv(in + 3, 4, MPI_DOUBLE, 1, tag, comm, &r[1]);
  }
  stay();
}

static void send_overlaps(void) {
  MPI_Request r;
  if (rank == 0) MPI_Isend(out, 4, MPI_DOUBLE, 1, tag, comm, &r);
  hold();
  if (rank == 0) MPI_Recv(out, 1, MPI_DOUBLE, 1, tag, comm, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Recv(in, 4, MPI_DOUBLE, 0, tag, comm, MPI_STATUS_IGNORE);
}

// Both orders of the counts have the same total.
static void recvcounts(void) {
  int counts[] = {4 + rank, 4 - rank};
  hold();
  MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, comm);
}

static void started(void) {
  MPI_Request r;
  if (rank == 0) MPI_Send_init(out, 4, MPI_INT, 1, tag, comm, &r);
  hold();
  if (rank == 0) MPI_Start(&r);
  if (rank == 1) MPI_Recv(in, 4, MPI_FLOAT, 0, tag, comm, MPI_STATUS_IGNORE);
}

// Rank 1's message cannot mean that the data has arrived: rank 1 has not requested it.
static void reused(void) {
  MPI_Request r;
  if (rank == 0) {
    MPI_Isend(out, LARGE, MPI_DOUBLE, 1, tag, comm, &r);
    MPI_Request_free(&r);
  }
  hold();
  if (rank == 0) MPI_Recv(out, 4, MPI_DOUBLE, 1, tag, comm, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(in, 4, MPI_DOUBLE, 0, tag, comm);
}

static void outside(void) {
  double *memory;
  MPI_Win win;
  MPI_Win_allocate((4 + 4 * rank) * sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory,
                   &win);
  MPI_Win_fence(0, win);
  hold();
  MPI_Put(out, 8, MPI_DOUBLE, 1 - rank, 0, 8, MPI_DOUBLE, win);
}

static void aliased(void) {
  hold();
  MPI_Allgather(rank ? out : in, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, comm);
}

static void uncommitted(void) {
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_INT, &four);
  hold();
  if (rank == 0) MPI_Send(out, 1, four, 1, tag, comm);
  if (rank == 1) MPI_Recv(in, 4, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
}

static const struct {
  const char *name;
  void (*plant)(void);
} ERRORS[] = {{"type", type},
              {"pending-type", pending_type},
              {"any-type", any_type},
              {"truncated", truncated},
              {"root", root},
              {"op", op},
              {"procedure", procedure},
              {"form", form},
              {"signature", signature},
              {"length", length},
              {"receives-overlap", receives_overlap},
              {"send-overlaps", send_overlaps},
              {"recvcounts", recvcounts},
              {"started", started},
              {"reused", reused},
              {"outside", outside},
              {"aliased", aliased},
              {"uncommitted", uncommitted}};

#endif
