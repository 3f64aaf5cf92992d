// SPDX-License-Identifier: MIT
// A ring of four. The arguments name the errors: between ranks 1 and 2, or with "near" elsewhere.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static int count;
static char **words;

static int is_wrong(const char *what) {
  for (int i = 0; i < count; i++)
    if (strcmp(words[i], what) == 0) return 1;
  return 0;
}

static void send(int to, int tag, MPI_Datatype type) {
  double values[8] = {0};
  MPI_Send(values, 2, type, to, tag, MPI_COMM_WORLD);
}

static void receive(int from, int tag, MPI_Datatype type) {
  double values[8];
  MPI_Recv(values, 2, type, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ring(int turn) {
  int wrong = is_wrong("type") && turn == 3;
  MPI_Request request;
  double values[8];
  MPI_Irecv(values, 2, wrong && rank == 2 ? MPI_FLOAT : MPI_INT, (rank + size - 1) % size, 1,
            MPI_COMM_WORLD, &request);
  send((rank + 1) % size, 1, MPI_INT);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// Both processes are on one node.
static void near(void) {
  if (rank == 0) send(1, 2, MPI_INT);
  if (rank == 1) receive(0, 2, MPI_UNSIGNED);
}

int main(int argc, char **argv) {
  MPI_Datatype rows;
  int values[4] = {0}, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  count = argc - 1, words = argv + 1;
  for (int turn = 0; turn < 10; turn++) ring(turn);
  if (is_wrong("near")) near();
  if (is_wrong("lost") && rank == 1) send(2, 7, MPI_INT);
  // The same elements, described by other datatypes.
  MPI_Type_contiguous(2, MPI_INT, &rows);
  MPI_Type_commit(&rows);
  MPI_Bcast(values, rank < 2 ? 2 : 4, rank < 2 ? rows : MPI_INT, 0, MPI_COMM_WORLD);
  if (!is_wrong("leak")) MPI_Type_free(&rows);
  MPI_Allreduce(values, &sum, 1, MPI_INT, is_wrong("op") && rank > 1 ? MPI_MAX : MPI_SUM,
                MPI_COMM_WORLD);
  if (is_wrong("die") && rank == 3) abort();
  if (is_wrong("hang") && rank % 2) receive(4 - rank, 9, MPI_INT);
  MPI_Finalize();
  return 0;
}
