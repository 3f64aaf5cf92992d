// SPDX-License-Identifier: MIT
// Two partitioned sends with one tag are started three times each, and so are two receives. With an
// argument, one operation lacks its last start.
#include <mpi.h>
#include <unistd.h>

enum { STARTS = 3 };

// An operation without a receiver need not complete.
static void waits(MPI_Request *request) {
  for (int i = 0, done = 0; i < 200 && !done; i++) {
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    usleep(1000);
  }
}

static void sends(int *data) {
  MPI_Request requests[2];
  for (int i = 0; i < 2; i++)
    MPI_Psend_init(data, 4, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  for (int start = 0; start < STARTS; start++) {
    MPI_Startall(2, requests);
    for (int i = 0; i < 2; i++) MPI_Pready_range(0, 3, requests[i]);
    for (int i = 0; i < 2; i++) waits(&requests[i]);
  }
}

static void receives(int *data, int wrong) {
  MPI_Request requests[2];
  for (int i = 0; i < 2; i++)
    MPI_Precv_init(data + 8 * i, 4, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
  for (int start = 0; start < STARTS; start++) {
    int count = wrong && start + 1 == STARTS ? 1 : 2;
    MPI_Startall(count, requests);
    for (int i = 0; i < count; i++) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; i++) MPI_Request_free(&requests[i]);
}

int main(int argc, char **argv) {
  int rank, data[16] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    sends(data);
  else
    receives(data, argc > 1);
  MPI_Finalize();
  return 0;
}
