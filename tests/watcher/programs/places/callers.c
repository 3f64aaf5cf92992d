// SPDX-License-Identifier: MIT
// Wrong calls in a function that several others call: test_callers.py.
#include <mpi.h>

static void exchange(int rank, void *data, int count) {
  MPI_Status status;
  if (rank == 0)
    MPI_Send(data, count, MPI_INT, 1, 3, MPI_COMM_WORLD);
  else
    MPI_Recv(data, count, MPI_FLOAT, 0, 3, MPI_COMM_WORLD, &status);
  MPI_Send(data, -1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_SELF);
}

static void first(int rank, void *data) {
  exchange(rank, data, 4);
}

static void second(int rank, void *data) {
  exchange(rank, data, 4);
}

int main(int argc, char **argv) {
  int rank, data[4] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  first(rank, data);
  second(rank, data);
  MPI_Finalize();
  return 0;
}
