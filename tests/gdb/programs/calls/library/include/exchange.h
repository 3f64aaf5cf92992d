// SPDX-License-Identifier: MIT
// A library that calls MPI in its header, as C++ libraries do.
#include <mpi.h>

static inline void exchange_with(int peer, int *number) {
  MPI_Request request;
  MPI_Irecv(number, 0, MPI_INT, peer, 5, MPI_COMM_WORLD, &request);
  MPI_Recv(number, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static inline void exchange(int peer, int *number) {
  exchange_with(peer, number);
}
