// SPDX-License-Identifier: MIT
// Patterns of messages and collective calls, drawn from a seed, that repeat for a while; then it
// stops. test_ledger.py draws the same.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "probe.h"

enum { MOST = 80 };

static uint64_t state;
static MPI_Datatype column;

static int draw(int below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)below);
}

static MPI_Datatype vector(void) {
  MPI_Datatype made;
  MPI_Type_vector(2, 1, 2, MPI_INT, &made);
  MPI_Type_commit(&made);
  return made;
}

static void message(int tag, int kind, int count) {
  static int from[64], to[64];
  MPI_Datatype type = kind == 0 ? MPI_INT : kind == 1 ? MPI_FLOAT : kind == 2 ? column : vector();
  MPI_Request requests[2];
  if (count > 2) { // matched before they are received; with 4, after a later one
    MPI_Message matched;
    MPI_Isend(from, count, type, 0, tag, MPI_COMM_SELF, &requests[0]);
    if (count > 3) MPI_Isend(from, count, type, 0, tag, MPI_COMM_SELF, &requests[1]);
    MPI_Mprobe(0, tag, MPI_COMM_SELF, &matched, MPI_STATUS_IGNORE);
    if (count > 3) MPI_Recv(to, count, type, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Mrecv(to, count, type, &matched, MPI_STATUS_IGNORE);
    MPI_Waitall(count > 3 ? 2 : 1, requests, MPI_STATUSES_IGNORE);
    if (kind == 3) MPI_Type_free(&type);
    return;
  }
  MPI_Irecv(to, count, type, 0, tag, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(from, count, type, 0, tag, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (kind == 3) MPI_Type_free(&type);
}

static void collective(int kind, int count) {
  static int from[64], to[64];
  const int zero = 0;
  if (kind == 0) MPI_Barrier(MPI_COMM_SELF);
  if (kind == 1) MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  if (kind == 2) MPI_Bcast(from, count, column, 0, MPI_COMM_SELF);
  if (kind == 3)
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, to, &count, &zero, MPI_INT, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  int pattern[MOST][3];
  MPI_Init(&argc, &argv);
  state = strtoull(argv[1], NULL, 10);
  column = vector();
  for (int phase = atoi(argv[2]); phase > 0; phase--) {
    int period = 1 + draw(draw(4) ? 6 : MOST), times = 1 + draw(9);
    for (int i = 0; i < period; i++) {
      for (int part = 0; part < 3; part++) pattern[i][part] = draw(part == 2 ? 5 : 4);
    }
    for (int i = 0; i < period * times; i++) {
      const int *now = pattern[i % period];
      if (now[0] < 3)
        message(now[0], now[1], now[2]);
      else
        collective(now[1], now[2]);
    }
  }
  look("now");
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
