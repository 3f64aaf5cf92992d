// SPDX-License-Identifier: MIT
// Communication buffers on two processes; gdb stops rank 0 in MPI's own PMPI_X, one call after the
// other. The tests' expectations are in test_buffers.py.
#include <mpi.h>
#include <stddef.h>

struct mixed {
  int numbers[5];
  char text[7];
  double values[2];
};

static double matrix[3][4];
static void *as_void;

static void broadcast(double *rows, MPI_Datatype vector) {
  MPI_Bcast(rows, 1, vector, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  for (int i = 0; i < 12; i++) matrix[i / 4][i % 4] = i + 0.5;
  as_void = matrix;
  MPI_Datatype vector;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  broadcast(&matrix[0][0], vector);

  struct mixed mixed[2] = {{{1, 2, 3, 4, 5}, "abcdefg", {1.5, 2.5}},
                           {{6, 7, 8, 9, 10}, "hi\0\0\0\0", {-0.25, 1e22}}};
  MPI_Datatype record, resized, types[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  int blocklengths[3] = {5, 7, 2};
  MPI_Aint offsets[3] = {offsetof(struct mixed, numbers), offsetof(struct mixed, text),
                         offsetof(struct mixed, values)};
  MPI_Type_create_struct(3, blocklengths, offsets, types, &record);
  MPI_Type_create_resized(record, 0, sizeof(struct mixed), &resized);
  MPI_Type_commit(&resized);
  MPI_Bcast(mixed, 2, resized, 0, MPI_COMM_WORLD);

  // These operations are pending while the calls below are made.
  int early[3] = {-1, -2, -3};
  MPI_Request request;
  MPI_Irecv(early, 3, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &request);

  // Every process has a part for each process: part i is for process i.
  int one[4] = {10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3}, all[4] = {0};
  MPI_Alltoall(one, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(one, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);

  int counts[2] = {1, 3}, displacements[2] = {3, 0};
  int collected[4] = {0};
  MPI_Allgatherv(one, rank == 0 ? 1 : 3, MPI_INT, collected, counts, displacements, MPI_INT,
                 MPI_COMM_WORLD);

  MPI_Datatype w_types[2] = {MPI_INT, MPI_INT};
  int w_counts[2] = {1, 1}, w_displacements[2] = {4, 12};
  int w_send[4] = {1, 2, 3, 4}, w_receive[4] = {5, 6, 7, 8};
  MPI_Alltoallw(w_send, w_counts, w_displacements, w_types, w_receive, w_counts, w_displacements,
                w_types, MPI_COMM_WORLD);

  double sum = rank + 1;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  // A datatype of absolute addresses.
  MPI_Datatype absolute, parts[2] = {MPI_INT, MPI_DOUBLE};
  int number = 42, ones[2] = {1, 1};
  MPI_Aint addresses[2];
  MPI_Get_address(&number, &addresses[0]);
  MPI_Get_address(&sum, &addresses[1]);
  MPI_Type_create_struct(2, ones, addresses, parts, &absolute);
  MPI_Type_commit(&absolute);
  void *bottom = MPI_BOTTOM;
  MPI_Bcast(bottom, 1, absolute, 0, MPI_COMM_WORLD);

  // This process sends nothing, and passes no send buffer.
  int *nothing = one;
  MPI_Bcast(nothing, 0, MPI_INT, 0, MPI_COMM_WORLD);
  void *null = NULL;
  MPI_Bcast(null, 0, MPI_INT, 0, MPI_COMM_WORLD);

  MPI_Send(one, 3, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  (void)as_void;
  MPI_Finalize();
  return 0;
}
