// SPDX-License-Identifier: MIT
// The same code exchanges both ways: it unpacks data before it arrives, and packs into a buffer
// that MPI is sending. It never waits.
#include "patterns.h"

static _Alignas(4096) double out[CELLS], in[CELLS];
static double cells[CELLS];

static void unpack(void) {
  const double *from = in;
  for (int i = 0; i < CELLS; i++) cells[i] = *from++;
}

static void pack(double from) {
  for (int i = 0; i < CELLS; i++) out[i] = from + i;
}

void athena_r1090(int rank, int wrong) {
  MPI_Request requests[2];
  if (rank == 1) {
    await_go();
    pack(5);
    MPI_Sendrecv(out, CELLS, MPI_DOUBLE, 0, 0, in, CELLS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (!wrong) need(in, CELLS, 6);
    return;
  }
  pack(6);
  MPI_Irecv(in, CELLS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, CELLS, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[1]);
  if (!wrong) {
    go();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  unpack();
  pack(7);
  if (wrong)
    go();
  else
    need(cells, CELLS, 5);
}
