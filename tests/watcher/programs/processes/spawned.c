// SPDX-License-Identifier: MIT
// Spawns two processes, which exchange messages with it and each other. "wrong": a receive does not
// match, and a datatype is not freed. "hang": they wait for each other.
#include <mpi.h>
#include <string.h>

static int rank, values[4];

static void among(const char *how) {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  if (strcmp(how, "hang") == 0)
    MPI_Recv(values, 1, type, 1 - rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0)
    MPI_Send(values, 1, type, 1, 5, MPI_COMM_WORLD);
  else
    MPI_Recv(values, 2, strcmp(how, "wrong") ? MPI_INT : MPI_FLOAT, 0, 5, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  if (strcmp(how, "wrong")) MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  MPI_Comm other, all;
  char *arguments[] = {argv[1], NULL};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&other);
  int is_child = other != MPI_COMM_NULL;
  if (is_child) {
    among(argv[1]);
    if (rank == 0) MPI_Send(values, 4, MPI_INT, 0, 1, other);
  } else {
    MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                   MPI_ERRCODES_IGNORE);
    if (rank == 0) MPI_Recv(values, 4, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
  }
  MPI_Intercomm_merge(other, is_child, &all);
  MPI_Bcast(values, 1, MPI_INT, 0, all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&other);
  MPI_Finalize();
  return 0;
}
