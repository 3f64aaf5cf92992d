// SPDX-License-Identifier: MIT
// Buffers of one-sided operations that are freed too early; with an argument, after completion. Two
// processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };
static int rank;
static MPI_Win window;

static double *new_block(void) {
  double *block = calloc(N, sizeof *block);
  if (!block) MPI_Abort(MPI_COMM_WORLD, 1);
  return block;
}

static void put(int right) {
  double *data = new_block();
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Put(data + 8, 4, MPI_DOUBLE, 1, 0, 4, MPI_DOUBLE, window);
  if (right) MPI_Win_flush_local(1, window);
  free(data);
  MPI_Win_unlock(1, window);
}

static void get_of_a_column(int right) {
  MPI_Datatype column;
  double *data = new_block(), *other = new_block();
  MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Win_lock_all(0, window);
  MPI_Get(data + 3, 1, column, 1, 0, 4, MPI_DOUBLE, window);
  MPI_Type_free(&column);
  free(other); // of no operation
  if (right) MPI_Win_flush(1, window);
  free(data);
  MPI_Win_unlock_all(window);
}

static void result(int right) {
  long *value = malloc(sizeof *value), one = 1;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Fetch_and_op(&one, value, MPI_LONG, 1, 8, MPI_SUM, window);
  if (right) MPI_Win_flush_all(window);
  value = realloc(value, 64);
  MPI_Win_unlock(1, window);
  free(value);
}

static void with_a_request(int right) {
  MPI_Request request;
  double *data = new_block();
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Rput(data, N, MPI_DOUBLE, 1, 16, N, MPI_DOUBLE, window, &request);
  if (right) MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(data);
  if (!right) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(1, window);
}

static void of_mpi(int right) {
  double *data;
  MPI_Alloc_mem(N * sizeof *data, MPI_INFO_NULL, &data);
  for (int i = 0; i < N; i++) data[i] = i;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Put(data + 8, 4, MPI_DOUBLE, 1, 0, 4, MPI_DOUBLE, window);
  if (right) MPI_Win_flush_local(1, window);
  MPI_Free_mem(data);
  MPI_Win_unlock(1, window);
}

// The operation reads nothing from this buffer.
static void no_op(int right) {
  double *data = new_block(), there[N];
  (void)right;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
  MPI_Get_accumulate(data, N, MPI_DOUBLE, there, N, MPI_DOUBLE, 1, 16, N, MPI_DOUBLE, MPI_NO_OP,
                     window);
  free(data);
  MPI_Win_unlock(1, window);
}

int main(int argc, char **argv) {
  void (*const cases[])(int) = {put, get_of_a_column, result, with_a_request, of_mpi, no_op};
  double *memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(128 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (rank == 0) cases[i](argc > 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&window);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
