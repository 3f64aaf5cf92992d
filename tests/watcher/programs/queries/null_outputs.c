// SPDX-License-Identifier: MIT
// Null pointers in place of results, persistent requests that are never started, and groups that
// share a handle. MPI returns errors, or the program dies.
#include <mpi.h>
#include <stddef.h>
#include <string.h>

#define IS(NAME) (strcmp(name, NAME) == 0)
static int rank, value = 1, received;
static MPI_Request request, both[2];

static void pass_null(const char *name) {
  if (IS("newcomm")) MPI_Comm_dup(MPI_COMM_WORLD, NULL);
  if (IS("rank")) MPI_Comm_rank(MPI_COMM_WORLD, NULL);
  if (IS("newtype")) MPI_Type_contiguous(2, MPI_INT, NULL);
  if (IS("request")) MPI_Isend(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, NULL);
  if (IS("flag")) {
    MPI_Irecv(&received, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, NULL, MPI_STATUS_IGNORE);
  }
  if (IS("status")) {
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&received, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, NULL);
  }
  if (IS("array_of_statuses")) {
    for (int i = 0; i < 2; i++)
      MPI_Irecv(&received, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &both[i]);
    MPI_Waitall(2, both, NULL);
  }
}

static void requests(const char *name) {
  MPI_Status status;
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  if (IS("started")) { // waited for before the first start, and once more
    MPI_Wait(&request, &status);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    MPI_Wait(&request, &status);
  } else if (!IS("unused")) {
    MPI_Wait(&request, &status);
  }
  if (!IS("unstarted-left")) MPI_Request_free(&request);
}

static void groups(const char *name) {
  MPI_Group group[100];
  for (int i = 0; i < 100; i++) MPI_Comm_group(MPI_COMM_WORLD, &group[i]);
  for (int i = 0; IS("groups-freed") && i < 100; i++) MPI_Group_free(&group[i]);
}

int main(int argc, char **argv) {
  const char *name = argv[1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  pass_null(name);
  if (strstr(name, "start") || IS("unused")) requests(name);
  if (strstr(name, "groups")) groups(name);
  MPI_Waitall(0, NULL, NULL);
  MPI_Finalize();
}
