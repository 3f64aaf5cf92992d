// SPDX-License-Identifier: MIT
// A communicator is freed, and a new one gets its handle: the wrapper uses the message counters
// again, in another order.
#include "probe.h"

static void exchange(MPI_Comm comm, int receives_first) {
  int in, out = 1;
  MPI_Request requests[2];
  for (int i = 0; i < 2; i++) {
    if (i == receives_first)
      MPI_Isend(&out, 1, MPI_INT, 0, 0, comm, &requests[0]);
    else
      MPI_Irecv(&in, 1, MPI_INT, 0, 0, comm, &requests[1]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Comm first, comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &first);
  exchange(first, 1);
  SAY(first);
  MPI_Comm_free(&first);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  exchange(comm, 0);
  MPI_Barrier(comm);
  SAY(comm);
  look("exchanged");
  MPI_Comm_free(&comm);
  MPI_Finalize();
}
