// SPDX-License-Identifier: MIT
// A library and the program use one communicator and one tag, as in deal.II's issues 8929 and 8955.
// A receive of the library may take the program's message. With "fixed" the library uses a
// duplicate. With "master", rank 0 takes the results of all others in one loop.
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static void ask_neighbor(MPI_Comm comm, int rank, int size) {
  int index;
  MPI_Request request;
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 1, comm, &request);
  MPI_Recv(&index, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cross(MPI_Comm library, int rank, int size) {
  int work = 1, in;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 2) MPI_Isend(&work, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  if (rank == size - 1) usleep(200000);
  ask_neighbor(library, rank, size);
  if (rank == 0) MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void collect(int rank, int size) {
  int result = rank;
  for (int turn = 0; turn < 50; turn++) {
    if (rank > 0) MPI_Send(&result, 1, MPI_INT, 0, turn % 3, MPI_COMM_WORLD);
    for (int from = 1; rank == 0 && from < size; from++)
      MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  int rank, size;
  MPI_Comm library = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(how, "fixed")) MPI_Comm_dup(MPI_COMM_WORLD, &library);
  if (!strcmp(how, "master"))
    collect(rank, size);
  else
    cross(library, rank, size);
  if (library != MPI_COMM_WORLD) MPI_Comm_free(&library);
  MPI_Finalize();
  return 0;
}
