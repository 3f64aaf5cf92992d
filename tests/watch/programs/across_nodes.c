// SPDX-License-Identifier: MIT
// Calls that differ between the first two processes and the last two; "twice": at one place, first
// between the first two. Four processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;

static void reduce(MPI_Op op) {
  int one = 1, sum;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
}

static void twice(void) {
  MPI_Op first = rank == 1 ? MPI_MAX : MPI_SUM, second = rank > 1 ? MPI_PROD : MPI_MIN;
  for (int turn = 0; turn < 2; turn++) reduce(turn ? second : first);
}

// The first two have completed theirs when the others look for what is complete.
static void later(int is_persistent) {
  int one = 1, sum;
  MPI_Op op = rank > 1 ? MPI_MAX : MPI_SUM;
  MPI_Request request;
#if MPI_VERSION >= 4
  if (is_persistent) {
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
#endif
  if (!is_persistent) MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (is_persistent) MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("went on\n");
}

static void groups(void) {
  MPI_Group world, some;
  MPI_Comm made = MPI_COMM_NULL;
  int members[3] = {0, 1, rank > 1 ? 2 : 3};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, members, &some);
  int code = MPI_Comm_create(MPI_COMM_WORLD, some, &made), class;
  MPI_Error_class(code, &class);
  if (rank == 0) printf("%s\n", class == MPI_SUCCESS ? "made" : "not made");
  MPI_Group_free(&some);
  MPI_Group_free(&world);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (argc > 1 && !strcmp(argv[1], "twice")) twice();
  if (argc > 1 && !strcmp(argv[1], "groups")) groups();
  if (argc > 1 && !strcmp(argv[1], "later")) later(argc > 2);
  if (argc > 1 && !strcmp(argv[1], "many"))
    for (int turn = 0; turn < 20; turn++) reduce(rank > 1 ? MPI_MAX : MPI_SUM);
  MPI_Finalize();
  return 0;
}
