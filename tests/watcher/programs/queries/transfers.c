// SPDX-License-Identifier: MIT
// Rounds of one-sided operations between buffers with matching types, which are constructed
// differently, and again for each round, with varying counts.
#include <mpi.h>
#include <stdlib.h>

enum { N = 64 };

static int mine[2 * N], result[2 * N];
static MPI_Win win;

static void exchange(int other, int count) {
  MPI_Datatype pair, every_other, particle, types[] = {MPI_INT, MPI_FLOAT};
  int one[] = {1, 1};
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_vector(N, 1, 2, MPI_INT, &every_other);
  MPI_Type_create_struct(2, one, (MPI_Aint[]){0, 4}, types, &particle);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&every_other);
  MPI_Type_commit(&particle);
  MPI_Win_fence(0, win);
  MPI_Put(mine, 2 * count, MPI_INT, other, 0, count, pair, win);
  MPI_Win_fence(0, win);
  MPI_Put(mine, N, MPI_INT, other, 0, 1, every_other, win);
  MPI_Win_fence(0, win);
  MPI_Put(mine, count, MPI_INT, other, 0, N, MPI_INT, win); // the target is larger
  MPI_Win_fence(0, win);
  MPI_Put(mine, count, particle, other, 0, N, particle, win);
  MPI_Win_fence(0, win);
  MPI_Get(result, 1, every_other, other, 0, N / 2, pair, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(mine, count, pair, other, 0, 2 * count, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(mine, N, particle, result, count, pair, other, 0, 2 * count, MPI_INT,
                     MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  MPI_Type_free(&pair);
  MPI_Type_free(&every_other);
  MPI_Type_free(&particle);
}

int main(int argc, char **argv) {
  int rank, rounds = argc > 1 ? atoi(argv[1]) : 1, *memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(2 * N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < rounds; i++) exchange(1 - rank, 1 + i % (N - 1));
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
