// SPDX-License-Identifier: MIT
// Collective calls, one for each word. A process sends other data to itself than it receives, or
// with "places" writes memory twice. "right" N: N rounds of right calls.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16 };
static int out[4 * MOST], in[4 * MOST], counts[8], places[8], rank, size;

static void right(int count) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  for (int i = 0; i < size; i++) {
    counts[i] = i == rank ? 2 * count : 2;
    places[i] = i * MOST;
  }
  MPI_Allgather(out, count, pair, in, 2 * count, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(out, count, pair, in, 2 * count, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(out, count, pair, in, 2 * count, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(out, 1, pair, in, 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Type_free(&pair);
}

static void wrong(const char *what) {
  int is_root = rank == 0;
  if (!strcmp(what, "gather"))
    MPI_Gather(out, is_root ? 1 : 2, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (!strcmp(what, "scatter"))
    MPI_Scatter(out, 2, MPI_INT, in, is_root ? 3 : 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (!strcmp(what, "types"))
    MPI_Gather(out, 2, is_root ? MPI_FLOAT : MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (!strcmp(what, "alone")) MPI_Allgather(out, 2, MPI_INT, in, 4, MPI_INT, MPI_COMM_SELF);
  for (int i = 0; i < size; i++) {
    counts[i] = 2;
    places[i] = i;
  }
  if (!strcmp(what, "places"))
    MPI_Gatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  if (!strcmp(what, "first") && !is_root) { // never comes
    sleep(3);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  if (!strcmp(what, "first")) MPI_Allgather(out, 2, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(argv[1], "right")) {
    for (int i = 0; i < atoi(argv[2]); i++) right(1 + i % 5);
  } else {
    for (int i = 1; i < argc; i++) wrong(argv[i]);
  }
  MPI_Finalize();
  return 0;
}
