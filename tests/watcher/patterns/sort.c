// SPDX-License-Identifier: MIT
// Each process sorts its keys, then merges them with the other's keys. It reads the receive buffer
// before these keys have arrived.
#include <stdlib.h>

#include "patterns.h"

static _Alignas(4096) int theirs[2 * CELLS];
static int mine[2 * CELLS], merged[4 * CELLS];

static void merge(void) {
  int i = 0, j = 0;
  while (i + j < 4 * CELLS) {
    int is_mine = j == 2 * CELLS || (i < 2 * CELLS && mine[i] < theirs[j]);
    merged[i + j] = is_mine ? mine[i] : theirs[j];
    i += is_mine;
    j += !is_mine;
  }
}

void sort(int rank, int wrong) {
  MPI_Request request;
  for (int i = 0; i < 2 * CELLS; i++) mine[i] = 2 * i + rank;
  if (rank == 1) {
    await_go();
    MPI_Send(mine, 2 * CELLS, MPI_INT, 0, 7, MPI_COMM_WORLD);
    return;
  }
  MPI_Irecv(theirs, 2 * CELLS, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
  if (!wrong) {
    go();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  merge();
  if (wrong) go();
  for (int i = 0; !wrong && i < 4 * CELLS; i++)
    if (merged[i] != i) abort();
}
