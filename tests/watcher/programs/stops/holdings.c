// SPDX-License-Identifier: MIT
// Two processes wait for each other. They have made many datatypes, rank 0 has pending receives,
// and rank 1 a lock.
#include <mpi.h>

static void receive(int *values, MPI_Request *requests) {
  for (int i = 0; i < 2; i++) MPI_Irecv(&values[i], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[i]);
}

int main(int argc, char **argv) {
  int rank, values[3], *memory;
  MPI_Datatype types[1200];
  MPI_Request requests[2];
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 1200; i++) MPI_Type_contiguous(2, MPI_INT, &types[i]);
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_set_name(win, "counter");
  if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  if (rank == 0) receive(values, requests);
  if (rank == 0) MPI_Recv(&values[2], 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
