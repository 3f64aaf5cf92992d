// SPDX-License-Identifier: MIT
// A grid code packs its next boundary into a buffer that MPI is still sending, in another function
// and by another pointer. It never waits. The second version waits too late.
#include <stddef.h>

#include "patterns.h"

static _Alignas(4096) double faces[2][CELLS], ghosts[CELLS];
static double *outgoing[2] = {faces[0], faces[1]};

static void pack(int side, double from) {
  double *next = outgoing[side];
  for (int i = 0; i < CELLS; i++) *next++ = from + i;
}

static void send_boundary(int side, MPI_Request *request) {
  MPI_Isend(faces[side], CELLS, MPI_DOUBLE, 1, side, MPI_COMM_WORLD, request);
}

void athena_r1086(int rank, int wrong) {
  MPI_Request request;
  if (rank == 1) {
    await_go();
    MPI_Recv(ghosts, CELLS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!wrong) need(ghosts, CELLS, 1);
    return;
  }
  pack(0, 1);
  send_boundary(0, &request);
  if (!wrong) {
    go();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  pack(0, 2);
  if (wrong) go();
}

void athena_r1086_cc(int rank, int wrong) {
  MPI_Request request;
  if (rank == 1) {
    MPI_Recv(ghosts, CELLS, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    need(ghosts, CELLS, 3);
    MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    return;
  }
  pack(1, 3);
  send_boundary(1, &request);
  MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
  pack(1, 4);
  if (wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
}
